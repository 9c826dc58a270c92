import { createSocket } from 'node:dgram';
import type { AddressInfo } from 'node:net';
import type { Test } from 'tap';

/** Addresses of a name; a name that is absent is answered "no such name", `silent` is not answered. */
export type Zone = Readonly<Record<string, readonly string[] | 'silent' | 'refused'>>;

const types = { 1: 'IPv4', 28: 'IPv6' } as const;
const typeOf = (address: string): number => (address.includes(':') ? 28 : 1);

/** Bytes of an address as in a record. */
const bytesOf = (address: string): Buffer => {
  if (!address.includes(':')) return Buffer.from(address.split('.').map(Number));
  const [head = '', tail = ''] = address.split('::');
  const groups = (text: string) => text.split(':').filter(group => group !== '');
  const zeros = 8 - groups(head).length - groups(tail).length;
  const all = [...groups(head), ...Array.from({ length: zeros }, () => '0'), ...groups(tail)];
  return Buffer.from(all.map(group => group.padStart(4, '0')).join(''), 'hex');
};

/** The question of a request (RFC 1035 §4.1.2): its name, its type, and its bytes. */
const questionOf = (request: Buffer) => {
  const labels: string[] = [];
  let at = 12;
  for (let length = request.readUInt8(at); length > 0; length = request.readUInt8(at)) {
    labels.push(request.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return {
    name: labels.join('.').toLowerCase(),
    type: request.readUInt16BE(at + 1),
    bytes: request.subarray(12, at + 5),
  };
};

const header = (id: number, code: number, answers: number): Buffer => {
  const bytes = Buffer.alloc(12);
  bytes.writeUInt16BE(id, 0);
  bytes.writeUInt16BE(0x8180 | code, 2);
  bytes.writeUInt16BE(1, 4);
  bytes.writeUInt16BE(answers, 6);
  return bytes;
};

/** A record that points to the name of the question. */
const recordOf = (address: string, ttl: number): Buffer => {
  const data = bytesOf(address);
  const head = Buffer.alloc(12);
  head.writeUInt16BE(0xc00c, 0);
  head.writeUInt16BE(typeOf(address), 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt32BE(ttl, 6);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
};

/** A real name server over UDP on this machine. `asked` has the names of all requests, with their type. */
export const nameServer = async (t: Test, zone: (name: string) => Zone[string] | undefined, ttl = 60) => {
  const asked: string[] = [];
  const socket = createSocket('udp4');
  socket.on('message', (request, { address, port }) => {
    const { name, type, bytes } = questionOf(request);
    asked.push(`${name} ${types[type as keyof typeof types] ?? type}`);
    const found = zone(name);
    if (found === 'silent') return;
    const id = request.readUInt16BE(0);
    const code = found === undefined ? 3 : found === 'refused' ? 5 : 0;
    const records = Array.isArray(found) ? found.filter((one: string) => typeOf(one) === type) : [];
    const answers = (records as string[]).map(one => recordOf(one, ttl));
    socket.send(Buffer.concat([header(id, code, answers.length), bytes, ...answers]), port, address);
  });
  await new Promise<void>(resolve => socket.bind(0, '127.0.0.1', resolve));
  t.teardown(() => new Promise<void>(resolve => socket.close(resolve)));
  return { address: `127.0.0.1:${(socket.address() as AddressInfo).port}`, asked };
};
