/** Continue tokens: the position and revision of a paged list, in the format of kube-apiserver. */
import { apiErrors, fromGoBytes } from "@capstan/model";
import type { JsonObject } from "../builtin/draft.ts";
import { JsonSyntaxError, parseJsonLiterals } from "../decode/json-text.ts";
import { NumberLiteral } from "../decode/number-literal.ts";

/** The position of a list. */
export interface ContinueToken {
  /** The next key, relative to the prefix of the list. */
  readonly start: string;
  /** The revision of the first page; -1 continues at the current state. */
  readonly revision: number;
}

const tokenVersion = "meta.k8s.io/v1";
const alphabet = /^[A-Za-z0-9_-]*/;
/** Go ignores line ends in base64. */
const lineEnds = /[\r\n]/g;

/** The token that continues after a key. */
export function formatContinue({ start, revision }: ContinueToken): string {
  return Buffer.from(JSON.stringify({ v: tokenVersion, rv: revision, start })).toString("base64url");
}

/** Parses a token; throws 400 with the message of kube-apiserver. */
export function parseContinue(text: string): ContinueToken {
  const { v, rv, start } = readFields(text);
  if (v !== tokenVersion) throw refuse(`: server does not recognize this encoded version ${v}`);
  if (rv === 0) throw refuse(": incorrect encoded start resourceVersion (version meta.k8s.io/v1)");
  if (start === "") throw refuse(": encoded start key empty (version meta.k8s.io/v1)");
  const key = start.startsWith("/") ? start : `/${start}`;
  if (!isClean(key)) throw refuse(`: ${start}`);
  return { start: key.slice(1), revision: rv };
}

function readFields(given: string): { v: string; rv: number; start: string } {
  const text = given.replaceAll(lineEnds, "");
  const sound = alphabet.exec(text)?.[0].length ?? 0;
  if (sound < text.length || text.length % 4 === 1) {
    throw refuse(`: illegal base64 data at input byte ${sound < text.length ? sound : text.length - 1}`);
  }
  const value = readJson(Buffer.from(text, "base64url"));
  if (typeof value !== "object" || Array.isArray(value)) {
    throw refuse(`: json: cannot unmarshal ${jsonTypeOf(value)} into Go value of type storage.continueToken`);
  }
  const { v, rv, start } = withFoldedNames(value ?? {});
  checkTypes({ v, rv, start });
  return { v: textOf(v), rv: numberOf(rv), start: textOf(start) };
}

/** Go finds the fields of a struct in any case; the last one counts. */
function withFoldedNames(value: JsonObject): { v?: unknown; rv?: unknown; start?: unknown } {
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name.toLowerCase(), part]));
}

/** A whole number of 64 bits, written without a fraction and an exponent. */
function numberOf(value: unknown): number {
  if (value === undefined || value === null) return 0;
  if (typeof value === "bigint" || Number.isInteger(value)) return Number(value);
  const text = value instanceof NumberLiteral ? value.text : JSON.stringify(value);
  throw refuse(`: json: cannot unmarshal number ${text} into Go struct field continueToken.rv of type int64`);
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

const fieldTypes = { v: "string", rv: "int64", start: "string" } as const;

/** Rejects fields of the wrong type as Go does. */
function checkTypes(fields: Readonly<Record<keyof typeof fieldTypes, unknown>>): void {
  for (const field of ["v", "rv", "start"] as const) {
    const [value, wanted] = [fields[field], fieldTypes[field]];
    if (value === undefined || value === null || jsonTypeOf(value) === (wanted === "int64" ? "number" : wanted))
      continue;
    const place = `Go struct field continueToken.${field} of type ${wanted}`;
    throw refuse(`: json: cannot unmarshal ${jsonTypeOf(value)} into ${place}`);
  }
}

function jsonTypeOf(value: unknown): string {
  if (value instanceof NumberLiteral || typeof value === "bigint") return "number";
  if (Array.isArray(value)) return "array";
  return typeof value === "boolean" ? "bool" : typeof value;
}

function readJson(bytes: Buffer): ReturnType<typeof parseJsonLiterals> {
  try {
    return parseJsonLiterals(fromGoBytes(bytes));
  } catch (error) {
    if (error instanceof JsonSyntaxError) throw refuse(`: ${error.message}`);
    throw error;
  }
}

/** Keys must not escape from the prefix of their list. */
function isClean(key: string): boolean {
  if (key === "/") return true;
  if (key.endsWith("/")) return false;
  return key.split("/").every((part, index) => (part !== "" || index === 0) && part !== "." && part !== "..");
}

function refuse(why: string): Error {
  return apiErrors.badRequest(`invalid continue token: continue key is not valid${why}`);
}
