/** `POST usage`: NDJSON, one CloudEvent, or an array. */
import {
  type ImportResult,
  type Input,
  importUsage,
  parseExactJson,
  parseLine,
  tenancyOfStore,
} from "@capstan/metering";
import { importHappenings } from "../auditing.ts";
import { type Answer, json } from "./answer.ts";
import type { Scope } from "./caller.ts";
import { HttpError } from "./http-error.ts";
import { needOwn } from "./ownership.ts";
import { Parameters } from "./parameters.ts";
import type { Setting } from "./setting.ts";

/** Stores records; 207 says that some were rejected. */
export async function postUsage(
  setting: Setting,
  { search, scope, body, user }: { search: URLSearchParams; scope: Scope; body: string; user: string },
): Promise<Answer> {
  const parameters = new Parameters(search, ["source", "format"]);
  parameters.choice("format", ["json"], "json");
  const source = parameters.text("source") ?? "usage";
  const inputs = recordsOf(body);
  const book = await setting.book();
  await using store = await setting.openWriter();
  if (scope.kind === "tenants") {
    const tenancy = await tenancyOfStore(store, book);
    await needOwn(inputs, { scope, tenancy, store, source });
  }
  async function* stream(): AsyncIterable<Input> {
    yield* inputs;
  }
  const { corrections, ...result }: ImportResult = await importUsage(stream(), {
    store,
    book,
    source,
    now: setting.now(),
    batch: 50_000,
  });
  setting.metrics.imported(result);
  await setting.audit(user, importHappenings({ ...result, ...(corrections !== undefined && { corrections }) }));
  return json(result, result.rejected + result.conflict > 0 ? 207 : 200);
}

/** The records of a body. */
export function recordsOf(body: string): readonly Input[] {
  const text = body.trim();
  if (text === "") throw new HttpError(400, "the body has no records; send NDJSON, a CloudEvent, or an array of them");
  if (text.startsWith("[")) {
    const values = parseWhole(text);
    if (!Array.isArray(values)) throw new HttpError(400, "the body is not an array");
    return values.map((value: unknown, at) => ({ where: `body:${at + 1}`, value }));
  }
  // One object may be printed over several lines.
  if (/^\{\s*\n/.test(text)) return [{ where: "body:1", value: parseWhole(text) }];
  return body.split("\n").flatMap((line, at) => (line.trim() === "" ? [] : [parseLine(line, `body:${at + 1}`)]));
}

function parseWhole(text: string): unknown {
  try {
    return parseExactJson(text);
  } catch (cause) {
    throw new HttpError(400, `the body is not JSON: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    });
  }
}
