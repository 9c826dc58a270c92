/** Where spans are sent. */
export type Collector = {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** Name of the service in traces. */
  readonly serviceName: string;
};

/** Address of the traces of an OTLP endpoint, as OpenTelemetry defines it; undefined for another text. */
export const tracesUrl = (endpoint: string): URL | undefined => {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '') return undefined;
  if (url.username !== '' || url.password !== '') return undefined;
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/v1/traces`;
  return url;
};

/** Headers in the form `name=value,name=value`, values percent-encoded; undefined for another text. */
export const headersOf = (text: string): Readonly<Record<string, string>> | undefined => {
  const headers: Record<string, string> = {};
  for (const pair of text.split(',').filter(part => part.trim() !== '')) {
    const [, name, value = ''] = /^\s*([A-Za-z0-9-]+)\s*=\s*([\x21-\x7e ]*?)\s*$/.exec(pair) ?? [];
    if (name === undefined) return undefined;
    try {
      headers[name] = decodeURIComponent(value);
    } catch {
      return undefined;
    }
    if (/[^\x20-\x7e]/.test(headers[name])) return undefined;
  }
  return headers;
};
