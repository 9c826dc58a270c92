import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import t from 'tap';
import { makeKey } from '../../adapters/signingKeyFile.js';
import { system } from '../../adapters/environment.js';
import { derivedId } from '../../application/commands/commandHandler.js';
import { DataDirInUse, lockDataDir } from '../../adapters/sqlite/dataDir.js';
import { readSettings, type Settings } from '../../adapters/settings/settings.js';
import { SettingsError, settingNames, similarSettings } from '../../adapters/settings/values.js';
import { openStores } from '../../adapters/composition/openStores.js';
import { exactList } from '../helpers/exactList.js';
import { repositoryRoot } from '../helpers/repository.js';

let folders = 0;
const base = t.testdir();
const newFolder = (): string => join(base, `data-${(folders += 1)}`);

/** Settings of an environment with a new data folder. */
const settingsOf = (env: NodeJS.ProcessEnv): Settings => readSettings({ DATA_DIR: newFolder(), ...env });

const secret = 'a secret of thirty-two bytes ok!';

t.test('defaults', async t => {
  const dataDir = newFolder();
  const { tokens, ...settings } = readSettings({ DATA_DIR: dataDir, JWT_SECRET: secret });
  t.strictSame(settings, {
    host: '127.0.0.1',
    port: 8080,
    dataDir,
    log: { kind: 'sqlite', file: join(dataDir, 'events.sqlite') },
    diskFreeMinBytes: 64_000_000,
    logLevel: 'info',
    bodyRateMin: 8192,
    sourcesMax: 10_000,
    firstStart: true,
    webhookAllowPrivate: false,
    corsOrigins: [],
  });
  t.strictSame(tokens, {
    key: { kind: 'secret', secret },
    algorithms: ['HS256'],
    issuer: 'daybook',
    audience: 'daybook',
  });
  const before = process.cwd();
  t.teardown(() => process.chdir(before));
  process.chdir(base);
  t.equal(readSettings({ JWT_SECRET: secret }).dataDir, join(process.cwd(), 'data'));
  t.ok(existsSync('data'), 'the data folder is created');
  t.equal(statSync('data').mode & 0o777, 0o700, 'only its owner has access');
});

const otlp = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' };
const local = 'esdb://127.0.0.1:2113?tls=false';
const goodEventStoreDbs = (
  [
    [{ EVENTSTOREDB_URL: local }, { url: local, prefix: '' }],
    [{ EVENTSTOREDB_URL: 'esdb://anna:s%2Fp@db:2113' }, { url: 'esdb://anna:s%2Fp@db:2113' }],
    [{ EVENTSTOREDB_URL: 'esdb+discover://a:b@cluster.example' }, { kind: 'eventstoredb' }],
    [{ EVENTSTOREDB_URL: 'esdb://a:b@one:2113,two:2113?tls=true' }, { kind: 'eventstoredb' }],
    [{ EVENTSTOREDB_URL: local, EVENTSTOREDB_PREFIX: 'staging_2-' }, { prefix: 'staging_2-' }],
    [{ EVENTSTOREDB_URL: local, EVENTSTOREDB_PREFIX: '' }, { prefix: '' }],
  ] as const
).map(([env, log]) => [{ EVENT_STORE: 'eventstoredb', ...env }, { log }] as const);
const badEventStoreDbs = [
  ...[
    '',
    'esdb://',
    '127.0.0.1:2113',
    'http://127.0.0.1:2113',
    'esdb://127.0.0.1:2113',
    'esdb://db:port?tls=false',
    'esdb://a:hunter2@db:port',
    'esdb://a:hunter2@db?nodePreference=hunter2',
  ].map(EVENTSTOREDB_URL => ['EVENTSTOREDB_URL', { EVENT_STORE: 'eventstoredb', EVENTSTOREDB_URL }] as const),
  ...[
    ...['catalog', 'source', 'days', 'alerts', 'audit', 'webhooks', 'calendar', 'incidents', 'settings'],
    ...['mutes', 'tokens', 'points', 'person', 'personkey', 'answers', 'deliveries'],
  ].map(
    kind =>
      [
        'EVENTSTOREDB_PREFIX',
        { EVENT_STORE: 'eventstoredb', EVENTSTOREDB_URL: local, EVENTSTOREDB_PREFIX: `${kind}-` },
      ] as const,
  ),
  ...['a', 'A-', '-', 'a.b-', '$a-', 'a-b-', `${'a'.repeat(64)}-`].map(
    EVENTSTOREDB_PREFIX =>
      [
        'EVENTSTOREDB_PREFIX',
        { EVENT_STORE: 'eventstoredb', EVENTSTOREDB_URL: local, EVENTSTOREDB_PREFIX },
      ] as const,
  ),
  ['EVENTSTOREDB_URL', { EVENTSTOREDB_URL: local }],
  ['EVENTSTOREDB_URL', { EVENT_STORE: 'memory', EVENTSTOREDB_URL: local }],
  ['EVENTSTOREDB_PREFIX', { EVENTSTOREDB_PREFIX: 'a-' }],
] as const;

t.test('settings: valid values', async t => {
  const deep = join(newFolder(), 'a', 'b');
  const good: readonly (readonly [NodeJS.ProcessEnv, unknown])[] = [
    [{ HOST: '0.0.0.0' }, { host: '0.0.0.0' }],
    [{ HOST: '::1' }, { host: '::1' }],
    [{ PORT: '0' }, { port: 0 }],
    [{ PORT: '65535' }, { port: 65_535 }],
    [otlp, { tracing: { headers: {}, serviceName: 'daybook' } }],
    [{ METRICS_PORT: '9464' }, { metrics: { host: '127.0.0.1', port: 9464 } }],
    [{ METRICS_PORT: '0', METRICS_HOST: '::' }, { metrics: { host: '::', port: 0 } }],
    [{ DATA_DIR: deep }, { dataDir: deep }],
    [{ EVENT_STORE: 'sqlite' }, { log: { kind: 'sqlite' } }],
    [{ EVENT_STORE: 'memory' }, { log: { kind: 'memory' } }],
    ...goodEventStoreDbs,
    [
      { JWT_ISSUER: 'https://id.example', JWT_AUDIENCE: 'gates' },
      { tokens: { issuer: 'https://id.example', audience: 'gates' } },
    ],
    [
      { JWT_SECRET: secret, JWT_ALGORITHMS: 'HS256' },
      { tokens: { key: { kind: 'secret', secret }, algorithms: ['HS256'] } },
    ],
    [
      { JWT_JWKS_URL: 'https://id.example/keys' },
      {
        tokens: {
          key: { kind: 'jwks', url: new URL('https://id.example/keys') },
          algorithms: ['RS256', 'ES256'],
        },
      },
    ],
    [
      { JWT_JWKS_URL: 'http://localhost:9/keys', JWT_ALGORITHMS: 'ES256' },
      { tokens: { algorithms: ['ES256'] } },
    ],
    [
      { JWT_JWKS_URL: 'http://127.0.0.1/keys', JWT_ALGORITHMS: ' ES256, RS256 ' },
      { tokens: { algorithms: ['ES256', 'RS256'] } },
    ],
    [{ DISK_FREE_MIN_MB: '0' }, { diskFreeMinBytes: 0 }],
    [{ JWT_JWKS_URL: 'http://[::1]/keys' }, { tokens: { algorithms: ['RS256', 'ES256'] } }],
    [{ CORS_ORIGINS: '' }, { corsOrigins: [] }],
    [{ FIRST_START_CODE: 'false' }, { firstStart: false }],
    [{ WEBHOOK_ALLOW_PRIVATE: 'true' }, { webhookAllowPrivate: true }],
    [
      { WEBHOOK_ALLOW_PRIVATE: 'Alerts.lan:9093,10.0.0.5:443, [fd00::5]:8080' },
      { webhookAllowPrivate: ['alerts.lan:9093', '10.0.0.5:443', '[fd00::5]:8080'] },
    ],
    [
      { SMTP_URL: 'smtps://a:b@mail.example.org', MAIL_FROM: 'Daybook <daybook@example.org>' },
      { mail: { host: 'mail.example.org', port: 465, isTls: true, auth: { user: 'a', pass: 'b' } } },
    ],
    [{ PUBLIC_URL: 'https://daybook.example.org/' }, { publicUrl: 'https://daybook.example.org' }],
    [{ PUBLIC_URL: 'http://[::1]:8080/a/b' }, { publicUrl: 'http://[::1]:8080/a/b' }],
    [
      { CORS_ORIGINS: 'https://app.example.org, http://[::1]:5173' },
      { corsOrigins: ['https://app.example.org', 'http://[::1]:5173'] },
    ],
    ...['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'].map(
      logLevel => [{ LOG_LEVEL: logLevel }, { logLevel }] as const,
    ),
  ];
  for (const [env, expected] of good) t.match(settingsOf(env), expected as object, JSON.stringify(env));
});

t.test('settings: invalid values are reported with their name', async t => {
  const file = join(base, 'a-file');
  writeFileSync(file, '');
  const bad: readonly (readonly [name: string, NodeJS.ProcessEnv])[] = [
    ...['', ' ', '-1', '65536', '8080x', '0x50', '80.5', '1e3', '999999'].map(
      PORT => ['PORT', { PORT }] as const,
    ),
    ['METRICS_PORT', { METRICS_PORT: '' }],
    ['METRICS_PORT', { METRICS_PORT: '65536' }],
    ['METRICS_HOST', { METRICS_PORT: '1', METRICS_HOST: ' ' }],
    ['METRICS_HOST', { METRICS_HOST: '::' }],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', { OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' }],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://a:b@collector' }],
    ['OTEL_EXPORTER_OTLP_HEADERS', { ...otlp, OTEL_EXPORTER_OTLP_HEADERS: 'key' }],
    ['OTEL_EXPORTER_OTLP_HEADERS', { ...otlp, OTEL_EXPORTER_OTLP_HEADERS: 'key=%0d%0a' }],
    ['OTEL_SERVICE_NAME', { ...otlp, OTEL_SERVICE_NAME: ' ' }],
    ['HOST', { HOST: '' }],
    ['HOST', { HOST: '  ' }],
    ['EVENT_STORE', { EVENT_STORE: '' }],
    ['EVENT_STORE', { EVENT_STORE: 'SQLite' }],
    ['EVENT_STORE', { EVENT_STORE: 'postgres' }],
    ['EVENTSTOREDB_URL', { EVENT_STORE: 'eventstoredb' }],
    ...badEventStoreDbs,
    ...['', '-1', '1.5', 'much', '1e3'].map(
      DISK_FREE_MIN_MB => ['DISK_FREE_MIN_MB', { DISK_FREE_MIN_MB }] as const,
    ),
    ['LOG_LEVEL', { LOG_LEVEL: '' }],
    ['LOG_LEVEL', { LOG_LEVEL: 'verbose' }],
    ['DATA_DIR', { DATA_DIR: file }],
    ['DATA_DIR', { DATA_DIR: join(file, 'below') }],
    ['JWT_SECRET', { JWT_SECRET: '' }],
    ['JWT_SECRET', { JWT_SECRET: secret.slice(1) }],
    ['JWT_SECRET', { JWT_SECRET: secret, JWT_JWKS_URL: 'https://id.example/keys' }],
    ['JWT_JWKS_URL', { JWT_SECRET: secret, JWT_JWKS_URL: 'https://id.example/keys' }],
    ...[
      '',
      'keys',
      'http://id.example/keys',
      'ftp://localhost/keys',
      'file:///keys',
      'http://localhost.example/',
      'http://user:hunter2@id.example/keys',
      'https://user:hunter2@id.example:port/keys',
    ].map(JWT_JWKS_URL => ['JWT_JWKS_URL', { JWT_JWKS_URL }] as const),
    ...['', ' ', 'none', 'HS512', 'HS256 none', 'RS256', 'hs256'].map(
      JWT_ALGORITHMS => ['JWT_ALGORITHMS', { JWT_SECRET: secret, JWT_ALGORITHMS }] as const,
    ),
    ...['HS256', 'RS256,HS256', 'none'].map(
      JWT_ALGORITHMS =>
        ['JWT_ALGORITHMS', { JWT_JWKS_URL: 'https://id.example/keys', JWT_ALGORITHMS }] as const,
    ),
    ['JWT_ISSUER', { JWT_ISSUER: '' }],
    ['JWT_ISSUER', { JWT_ISSUER: ' ' }],
    ['JWT_AUDIENCE', { JWT_AUDIENCE: '' }],
    ...[
      '*',
      ' ',
      'app.example.org',
      'https://app.example.org/',
      'https://app.example.org/path',
      'https://a:b@app.example.org',
      'HTTPS://APP.EXAMPLE.ORG',
      'https://app.example.org:443',
      'ftp://app.example.org',
      'null',
      'https://app.example.org,',
      'https://app.example.org https://other.example.org',
    ].map(CORS_ORIGINS => ['CORS_ORIGINS', { CORS_ORIGINS }] as const),
    ...[
      '',
      ' ',
      'daybook.example.org',
      'ftp://daybook.example.org',
      'https://a:b@daybook.example.org',
      'https://daybook.example.org/?a',
      'https://daybook.example.org/#a',
      'https:daybook.example.org',
    ].map(PUBLIC_URL => ['PUBLIC_URL', { PUBLIC_URL }] as const),
    ['MAIL_FROM', { SMTP_URL: 'smtp://mail.example.org' }],
    ['SMTP_URL', { MAIL_FROM: 'daybook@example.org' }],
    ['MAIL_FROM', { SMTP_URL: 'smtp://mail.example.org', MAIL_FROM: 'Daybook' }],
    ...['', 'mail.example.org', 'http://mail.example.org', 'smtp://a:b@mail.example.org/path'].map(
      SMTP_URL => ['SMTP_URL', { SMTP_URL, MAIL_FROM: 'daybook@example.org' }] as const,
    ),
    ...[
      ...[
        '',
        '1',
        'yes',
        'TRUE',
        'true,alerts.lan:9093',
        'alerts.lan',
        'http://alerts.lan:9093',
        '10.0.0.5:0',
      ],
      ...['10.0.0.5:65536', '10.0.0.0/8:443', 'fd00::5:8080', 'alerts.lan:9093,', '*:9093', 'a b:9093'],
      Array.from({ length: 201 }, (_, n) => `host-${n}:9093`).join(),
    ].map(value => ['WEBHOOK_ALLOW_PRIVATE', { WEBHOOK_ALLOW_PRIVATE: value }] as const),
  ];
  for (const [name, env] of bad) {
    const what = JSON.stringify(env);
    try {
      settingsOf({ ...('JWT_JWKS_URL' in env ? {} : { JWT_SECRET: secret }), ...env });
      t.fail(`${what} was accepted`);
    } catch (error) {
      t.ok(error instanceof SettingsError, `${what} is a SettingsError`);
      t.match((error as Error).message, new RegExp(`\\b${name}\\b`), `${what} is named`);
      t.notMatch((error as Error).message, /hunter2/, `no password is shown`);
    }
  }
});

t.test('settings: a data folder that cannot be created is refused at once', async t => {
  const [file, link] = [join(base, 'in-the-way'), join(base, 'to-nowhere')];
  writeFileSync(file, '');
  symlinkSync(join(base, 'nowhere'), link);
  const refusal = (dataDir: string): string => {
    try {
      readSettings({ JWT_SECRET: secret, DATA_DIR: dataDir });
      return 'accepted';
    } catch (error) {
      return (error as Error).message;
    }
  };
  t.equal(refusal(file), `DATA_DIR: ${file} cannot be created: ${file} exists and is not a folder`);
  t.match(refusal(join(file, 'below')), /^DATA_DIR: .* cannot be created: ENOTDIR/);
  t.equal(refusal(link), `DATA_DIR: ${link} cannot be created: ${link} exists and is not a folder`);
});

const isLinux = process.platform === 'linux';
t.test(
  'settings: a folder in /proc ends the start',
  { skip: isLinux ? false : 'only Linux has /proc' },
  async t => {
    for (const folder of ['/proc/x', '/proc/x/y/z'])
      t.throws(() => readSettings({ JWT_SECRET: secret, DATA_DIR: folder }), {
        name: 'SettingsError',
        message: `DATA_DIR: ${folder} cannot be created: ENOENT: no such file or directory, mkdir '/proc/x'`,
      });
  },
);

t.test('settings: files of the data folder that cannot be used are named', async t => {
  const dataDir = newFolder();
  mkdirSync(join(dataDir, 'jwt-secret'), { recursive: true });
  t.throws(() => readSettings({ DATA_DIR: dataDir }), {
    name: 'SettingsError',
    message: /^DATA_DIR: \/.*\/jwt-secret cannot be read: EISDIR/,
  });
  const opened = (settings: Settings) =>
    openStores(settings, pino({ level: 'silent' }), system, () => {}).then(
      async ({ close }) => close().then(() => 'opened'),
      (error: Error) => error.message.replace(settings.dataDir, '…'),
    );
  const withFile = (name: string, make: (path: string) => void): Settings => {
    const settings = settingsOf({ JWT_SECRET: secret });
    make(join(settings.dataDir, name));
    return settings;
  };
  const folder = (path: string) => void mkdirSync(path);
  const text = (path: string) => writeFileSync(path, 'some text that is no database\n');
  t.equal(await opened(withFile('none', () => {})), 'opened');
  t.equal(
    await opened(withFile('events.sqlite', text)),
    'DATA_DIR: …/events.sqlite cannot be used: file is not a database (SQLITE_NOTADB)',
  );
  t.equal(
    await opened(withFile('events.sqlite', folder)),
    'DATA_DIR: …/events.sqlite is not a file, expected the log',
  );
  for (const name of ['lock.sqlite', 'read-models.sqlite', 'answers.sqlite', 'webhooks.sqlite'])
    t.equal(
      await opened(withFile(name, folder)),
      `DATA_DIR: …/${name} cannot be used: unable to open database file (SQLITE_CANTOPEN)`,
    );
});

t.test('settings: a variable with nearly the name of a setting is named, without its value', async t => {
  t.strictSame(similarSettings({ JWT_SECERT: 'hunter2', Data_dirs: 'x', DAYBOOK_PORT: '1' }), [
    'JWT_SECERT is not a setting and has no effect; expected JWT_SECRET',
    'Data_dirs is not a setting and has no effect; expected DATA_DIR',
    'DAYBOOK_PORT is not a setting and has no effect; expected PORT',
  ]);
  const others = [
    'HOSTNAME',
    'HOST_KEY',
    'PATH',
    'PORTS',
    'GHOST',
    'USER',
    'EVENT_STORES_ALL',
    'LOGLEVELS_OF',
    ...['AMQP_URL', 'IMAP_URL', 'HTTP_URL', 'SFTP_URL', 'SMTPS_URL', 'MCP_URL', 'META_DIR', 'DATA_ID'],
  ];
  t.strictSame(similarSettings({ JWT_SECRET_FILE: 'hunter2', JWT_SECRETS_DIR: 'x' }), [
    'JWT_SECRET_FILE is not a setting and has no effect; expected JWT_SECRET',
  ]);
  t.strictSame(similarSettings(Object.fromEntries([...others, ...settingNames].map(name => [name, '']))), []);
  const table = readFileSync(join(repositoryRoot(), 'docs/configuration.md'), 'utf8');
  const rows = table.split('\n').filter(line => line.startsWith('| `'));
  const documented = rows.flatMap(row => row.split(' | ')[0]!.match(/(?<=`)[A-Z][A-Z_]+(?=`)/g) ?? []);
  t.strictSame([...settingNames].sort(), documented.sort());
});

t.test('settings: a misspelt setting of secrets and data ends the start', async t => {
  const refusalOf = (env: NodeJS.ProcessEnv): string => {
    try {
      settingsOf(env);
      return '';
    } catch (error) {
      return error instanceof SettingsError ? error.message : 'another error';
    }
  };
  t.equal(
    refusalOf({ JWT_SECERT: 'hunter2' }),
    'JWT_SECERT: there is no such setting, expected JWT_SECRET; rename it or remove it',
  );
  t.equal(
    refusalOf({ JWT_JWKS_ULR: 'https://example.org/keys' }),
    'JWT_JWKS_ULR: there is no such setting, expected JWT_JWKS_URL; rename it or remove it',
  );
  for (const name of [
    'jwt_secret',
    'DAYBOOK_JWT_SECRET',
    'EVENT_STOR',
    'OIDC_ISUER',
    ...['SMTP_ULR', 'STMP_URL'],
    'JWT_AUDIANCE',
    'JWT_SECRET_FILE',
    'SMTP_URL_FILE',
  ])
    t.match(refusalOf({ [name]: 'x' }), new RegExp(`^${name}: there is no such setting, expected [A-Z_]+;`));
  t.equal(refusalOf({ JWT_SECERT: 'hunter2', JWT_SECRET: secret }), '', 'the right one is set too');
  t.equal(refusalOf({ LOG_LEVLE: 'debug', CORS_ORIGIN: 'x' }), '', 'a harmless one is reported in the log');
});

t.test('settings: each transposition of two letters of a decisive setting is refused', async t => {
  const decisive = settingNames.filter(name => /^(JWT_|OIDC_|AUDIT_KEY_FILE|EVENTSTOREDB_)/.test(name));
  t.ok(decisive.length > 8);
  for (const name of decisive)
    for (let at = 0; at + 1 < name.length; at += 1) {
      const wrong = `${name.slice(0, at)}${name[at + 1]}${name[at]}${name.slice(at + 2)}`;
      if (settingNames.includes(wrong)) continue;
      t.throws(
        () => readSettings({ [wrong]: 'x', DATA_DIR: '/proc/none' }),
        new RegExp(`^${wrong}: |${wrong}: `),
      );
    }
});

t.test('settings: a secret is never in a message', async t => {
  try {
    settingsOf({ JWT_SECRET: 'hunter2' });
    t.fail('taken');
  } catch (error) {
    t.notMatch((error as Error).message, /hunter2/);
    t.match((error as Error).message, /got 7 bytes, expected at least 32/);
  }
  t.equal(
    settingsOf({ JWT_SECRET: 'ü'.repeat(16) }).tokens.key.kind,
    'secret',
    'the length is counted in bytes',
  );
});

t.test('settings: an empty DATA_DIR or HOST is refused', async t => {
  // An empty path would put the secret and the databases into the working directory.
  const before = process.cwd();
  t.teardown(() => process.chdir(before));
  process.chdir(t.testdir());
  t.throws(() => readSettings({ JWT_SECRET: secret, DATA_DIR: '' }), { message: /DATA_DIR/ });
});

const secretOf = ({ tokens: { key } }: Settings): string => (key.kind === 'secret' ? key.secret : '');

t.test('settings: the secret of a data folder is created once, readable by its owner only', async t => {
  const dataDir = newFolder();
  const file = join(dataDir, 'jwt-secret');
  const made = secretOf(readSettings({ DATA_DIR: dataDir }));
  t.match(made, /^[0-9a-f]{64}$/, '256 bits');
  t.equal(statSync(file).mode & 0o777, 0o600);
  t.equal(readFileSync(file, 'utf8'), made);
  t.equal(secretOf(readSettings({ DATA_DIR: dataDir })), made, 'the same secret at the next start');
  t.not(secretOf(settingsOf({})), made, 'each folder has another secret');
  chmodSync(file, 0o644);
  t.equal(secretOf(readSettings({ DATA_DIR: dataDir })), made);
  t.equal(statSync(file).mode & 0o777, 0o600, 'permissions for others are removed');
  writeFileSync(file, `${secret}\n`);
  t.equal(secretOf(readSettings({ DATA_DIR: dataDir })), secret, 'a line feed is not part of the secret');
  writeFileSync(file, 'short');
  t.throws(() => readSettings({ DATA_DIR: dataDir }), {
    name: 'SettingsError',
    message: /jwt-secret: got 5/,
  });
  t.equal(readFileSync(file, 'utf8'), 'short', 'an existing file is never overwritten');
});

t.test('settings: no secret is created if none is needed', async t => {
  for (const env of [{ JWT_SECRET: secret }, { JWT_JWKS_URL: 'https://id.example/keys' }]) {
    const dataDir = newFolder();
    readSettings({ DATA_DIR: dataDir, ...env });
    t.notOk(existsSync(join(dataDir, 'jwt-secret')));
  }
});

// The lock

t.test('lock: one process uses a data folder; SIGKILL releases it', async t => {
  const dataDir = t.testdir();
  const free = lockDataDir(dataDir);
  t.throws(() => lockDataDir(dataDir), { name: 'DataDirInUse', message: /DATA_DIR/ }, 'twice in one process');
  free();
  const elsewhere = JSON.stringify(new URL('../../adapters/sqlite/dataDir.js', import.meta.url).href);
  const locking = `
    import { lockDataDir } from ${elsewhere};
    try { globalThis.free = lockDataDir(${JSON.stringify(dataDir)}); } catch (error) { console.log(error.name); process.exit(1); }
    console.log('locked');
    setInterval(() => {}, 1000);`;
  const start = async () => {
    const child = spawn(process.execPath, ['--input-type=module', '-e', locking], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [said] = (await once(child.stdout, 'data')) as [Buffer];
    return { child, said: String(said).trim() };
  };
  const holder = await start();
  t.teardown(() => holder.child.kill('SIGKILL'));
  t.equal(holder.said, 'locked');
  t.throws(() => lockDataDir(dataDir), DataDirInUse);
  const second = await start();
  t.equal(second.said, 'DataDirInUse', 'a third process is refused as well');

  const gone = once(holder.child, 'exit');
  holder.child.kill('SIGKILL');
  await gone;
  const again = lockDataDir(dataDir);
  t.pass('free after SIGKILL');
  again();
  t.throws(() => lockDataDir(join(dataDir, 'no-such-folder')), { name: 'StoreUnavailable' });
});

t.test('lock: a folder that cannot be read for a while does not end the process', async t => {
  const looks: (() => void)[] = [];
  const original = setInterval;
  t.teardown(() => void (globalThis.setInterval = original));
  globalThis.setInterval = ((run: () => void, ms: number) => {
    looks.push(run);
    return original(run, ms);
  }) as typeof setInterval;
  const dataDir = join(t.testdir({ data: {} }), 'data');
  const lost: string[] = [];
  const free = lockDataDir(dataDir, ({ message }) => void lost.push(message));
  t.teardown(free);
  t.equal(looks.length, 1);
  renameSync(dataDir, `${dataDir}-moved`);
  symlinkSync(dataDir, dataDir);
  looks[0]?.();
  t.strictSame(lost, [], 'a link to itself is an error of the system');
  rmSync(dataDir);
  looks[0]?.();
  t.match(lost, exactList(/lock\.sqlite was removed or replaced/));
});

// Ids

t.test('ids: equal names give equal UUIDs of version 5, other names others', async t => {
  t.equal(derivedId('source-1', 'request', 0), derivedId('source-1', 'request', 0));
  t.match(derivedId('a'), /^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  const names = [['a'], ['b'], ['a', 'b'], ['ab'], ['a,b'], ['a', ''], ['a', 1], ['a', '1'], []];
  t.equal(new Set(names.map(name => derivedId(...name))).size, names.length);
  // Existing logs contain it: it must never change.
  t.equal(
    derivedId('catalog', '5f0e2a5e-8d7e-4c4b-9a53-2b6f3f9c1a10', 0),
    '4a7ffd8a-8cda-5aa2-b920-96a65bec0c39',
  );
  t.not(system.newId(), system.newId());
});

t.test('settings: the key of checkpoints is a signing key', async t => {
  t.equal(settingsOf({}).checkpoints, undefined, 'default: no key');
  const file = join(newFolder(), '..', 'audit-key');
  makeKey(file, '2026-01-31T12:00:00.000Z');
  t.strictSame(settingsOf({ AUDIT_KEY_FILE: file }).checkpoints?.successions, []);
  for (const wrong of [`${file}.pub`, 'nowhere', '', base])
    t.throws(
      () => settingsOf({ AUDIT_KEY_FILE: wrong }),
      { name: 'SettingsError', message: /^AUDIT_KEY_FILE: got ".*", expected a key/ },
      wrong,
    );
});
