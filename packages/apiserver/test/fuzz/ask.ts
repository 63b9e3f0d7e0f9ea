/** One random request to two servers, and the difference of their responses. */

/** A request. */
export interface Question {
  readonly method: string;
  readonly path: string;
  readonly type: string;
  readonly accept: string;
  /** `undefined` sends no body. */
  readonly body: string | undefined;
}

/** A response. */
export interface Reply {
  readonly status: number;
  readonly body: string;
  /** The texts of the Warning headers, joined. */
  readonly warning: string;
}

/** A server. */
export type Ask = (question: Question) => Promise<Reply>;

/** The difference of two responses, or `undefined`. */
export function differenceOf(question: Question, ours: Reply, real: Reply): string | undefined {
  const drawn = drawnName(question);
  const [a, b] = [normalize(ours, drawn), normalize(real, drawn)];
  if (a === b) return undefined;
  let same = 0;
  while (a[same] === b[same]) same++;
  return `ours ${excerpt(a, same)}\nreal ${excerpt(b, same)}`;
}

/** Long responses are cut around the first difference. */
function excerpt(text: string, at: number): string {
  return text.length < 1500 || !text.startsWith("2")
    ? text
    : `${text.slice(0, 4)}... ${text.slice(Math.max(0, at - 150), at + 350)}`;
}

const replacements: readonly (readonly [RegExp, string])[] = [
  [/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "uuid"],
  [/(resourceVersion\W{1,9})\d+/g, "$1version"],
  [/(resource version: |current: )\d+/gi, "$1version"],
  // A resourceVersion that a patch copied to a label.
  [/(labels\W{1,9})\d{2,}/g, "$1version"],
  [/(in record \(|ResourceVersion in object meta: )\d+/g, "$1version"],
  [/("continue":")[^"]{9,}"/g, '$1token"'],
  [/\b20[2-9]\d-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?( \+0000 UTC|Z)?( m=\+[\d.]+)?/g, "time"],
  [/"\d+s"/g, '"age"'],
  [/(kube-api-access-)[a-z0-9]{5}/g, "$1suffix"],
  [/0x[0-9a-f]{6,}/g, "pointer"],
];

type Replacement = (typeof replacements)[number];

/** Generated names have a random suffix; long prefixes are truncated. */
function drawnName({ method, body = "" }: Question): Replacement | undefined {
  const prefix = /"generateName":"([^"\\]+)"/.exec(body)?.[1];
  if (method !== "POST" || prefix === undefined) return undefined;
  const literally = prefix.slice(0, 58).replaceAll(/[^a-zA-Z0-9]/gu, "\\$&");
  return [new RegExp(`("${literally})[a-z0-9]{5}(?=\\\\?")`, "g"), "$1drawn"];
}

function normalize(reply: Reply, drawn: Replacement | undefined): string {
  const text = drawn === undefined ? reply.body : reply.body.replaceAll(...drawn);
  return unified(summarize({ ...reply, body: text }));
}

function unified(said: string): string {
  let text = said;
  for (const [pattern, by] of replacements) text = text.replaceAll(pattern, by);
  return text;
}

interface Status {
  readonly message?: string;
  readonly reason?: string;
  readonly details?: { readonly causes?: readonly Json[] };
}

type Json = { readonly [field: string]: unknown };

function summarize({ status, body, warning }: Reply): string {
  const warned =
    warning === ""
      ? ""
      : ` warning ${warning
          .split(/, (?=299 )/)
          .sort()
          .join(", ")}`;
  if (status < 400) return `${status}${warned} ${body.trim()}`;
  return `${status}${warned} ${refusal(body)}`;
}

/** Causes and their order in the message are sorted: kube-apiserver iterates over maps in random order. */
function refusal(body: string): string {
  const parsed = tryParse(body);
  if (parsed === undefined) return body;
  const { message = "", reason = "", details = {} } = parsed;
  const { causes = [], ...others } = details;
  const told = causes.map((cause) => unified(JSON.stringify(cause))).sort();
  const words = message.split("\n").sort().join("\n");
  return `${reason} ${told.length > 1 ? message.length : words}\n  ${JSON.stringify(others)}\n  ${told.join("\n  ")}`;
}

function tryParse(body: string): Status | undefined {
  try {
    return JSON.parse(body) as Status;
  } catch {
    return undefined;
  }
}
