/** One random request, asked of two servers, and what differs between their answers. */
import type { Json } from "@capstan/model";

/** A request. */
export interface Question {
  readonly method: string;
  readonly path: string;
  readonly type: string;
  readonly body: string;
}

/** An answer. */
export interface Reply {
  readonly status: number;
  readonly body: string;
}

/** A server. */
export type Ask = (question: Question) => Promise<Reply>;

interface Status {
  readonly message?: string;
  readonly details?: { readonly causes?: readonly { readonly field?: string; readonly message?: string }[] };
}

/** What differs, or `undefined`. Causes may come in any order: the real server goes through maps in random order. */
export function differenceOf(ours: Reply, real: Reply): string | undefined {
  const [a, b] = [normalize(ours), normalize(real)];
  return a === b ? undefined : `ours ${a}\nreal ${b}`;
}

function normalize(reply: Reply): string {
  const volatile = /(\\?)"(uid|resourceVersion|creationTimestamp|time)\1":\1"[^"\\]*\1"/g;
  return summarize(reply).replaceAll(volatile, "$2: ~");
}

function summarize({ status, body }: Reply): string {
  if (status < 400) return `${status} ${body.trim()}`;
  const { message = "", details } = JSON.parse(body) as Status;
  const causes = (details?.causes ?? []).map((cause) => `${cause.field}: ${cause.message}`).sort();
  const lines = causes.length > 1 ? causes : message.split("\n").sort();
  return `${status} ${lines.join("\n  ")}`;
}

/** What is asked: an object is made, or one that is there is patched; nothing is kept. */
export function createQuestion(path: string, object: Json): Question {
  return {
    method: "POST",
    path: `${path}?dryRun=All&fieldManager=fuzz`,
    type: "application/json",
    body: JSON.stringify(object),
  };
}

/** A patch of the object that was made for it. */
export function patchQuestion(path: string, type: string, patch: Json): Question {
  const force = type === "application/apply-patch+yaml" ? "&force=true" : "";
  return {
    method: "PATCH",
    path: `${path}/base?dryRun=All&fieldManager=fuzz${force}`,
    type,
    body: JSON.stringify(patch),
  };
}
