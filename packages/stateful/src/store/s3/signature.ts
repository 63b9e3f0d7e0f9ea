/** AWS Signature Version 4. Pure: the request contains the time. */
import { createHash, createHmac } from "node:crypto";

export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

export interface SignableRequest {
  readonly method: string;
  /** Already escaped, as sent. */
  readonly path: string;
  readonly query: readonly (readonly [name: string, value: string])[];
  /** Lower-case names; must include `host`. */
  readonly headers: Readonly<Record<string, string>>;
  /** sha256 of the body in hexadecimal. */
  readonly bodyHash: string;
  readonly region: string;
  readonly time: Date;
}

/** The headers with the signature added. */
export function sign(request: SignableRequest, credentials: Credentials): Record<string, string> {
  const { accessKeyId, secretAccessKey, sessionToken } = credentials;
  const moment = request.time.toISOString().replace(/[-:]|\.\d{3}/g, "");
  const headers: Record<string, string> = {
    ...request.headers,
    "x-amz-content-sha256": request.bodyHash,
    "x-amz-date": moment,
    ...(sessionToken === undefined ? {} : { "x-amz-security-token": sessionToken }),
  };
  const names = Object.keys(headers).sort();
  const day = moment.slice(0, 8);
  const scope = `${day}/${request.region}/s3/aws4_request`;
  const text = ["AWS4-HMAC-SHA256", moment, scope, sha256(canonicalRequest(request, headers, names))].join("\n");
  const dayKey = hmac(`AWS4${secretAccessKey}`, day);
  const key = hmac(hmac(hmac(dayKey, request.region), "s3"), "aws4_request");
  const signature = hmac(key, text).toString("hex");
  const signed = `Credential=${accessKeyId}/${scope}, SignedHeaders=${names.join(";")}, Signature=${signature}`;
  return { ...headers, authorization: `AWS4-HMAC-SHA256 ${signed}` };
}

/** The query as it is signed and sent: sorted by escaped name. */
export function formatQuery(query: SignableRequest["query"]): string {
  return query
    .map(([name, value]) => [escape(name), escape(value)] as const)
    .sort(([a, x], [b, y]) => (a === b ? compare(x, y) : compare(a, b)))
    .map(([name, value]) => `${name}=${value}`)
    .join("&");
}

/** RFC 3986: everything except letters, digits and -._~ is escaped. */
export function escape(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** Like `escape`, but keeps slashes. */
export function escapePath(path: string): string {
  return path.split("/").map(escape).join("/");
}

export function sha256(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}

function canonicalRequest(request: SignableRequest, headers: Record<string, string>, names: readonly string[]): string {
  const lines = names.map((name) => `${name}:${(headers[name] ?? "").trim().replace(/ +/g, " ")}\n`);
  const { method, path, query, bodyHash } = request;
  return [method, path, formatQuery(query), lines.join(""), names.join(";"), bodyHash].join("\n");
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
