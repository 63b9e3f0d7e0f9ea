/** Results as termination messages. Kubernetes keeps 4096 bytes, so a larger result is compressed. */
import { gunzipSync, gzipSync } from "node:zlib";
import type { Pruned } from "../retention.ts";
import type { AgentResult } from "./job.ts";

const LIMIT = 4096;
const PACKED = "gzip:";

/**
 * The termination message. A result that is too large loses the spec: the backup is valid without it, and only a restore that needs the
 * spec fails, and reports that.
 *
 * @example
 * const message = formatResult({ ok: false, code: "NotFound", message: "there is no backup" });
 */
export function formatResult<M extends object>(result: AgentResult<M>): string {
  const plain = JSON.stringify(result);
  if (Buffer.byteLength(plain) <= LIMIT) return plain;
  const packed = `${PACKED}${gzipSync(plain, { level: 9 }).toString("base64")}`;
  if (packed.length <= LIMIT) return packed;
  if (!result.ok) return formatResult({ ...result, message: `${result.message.slice(0, 1000)}…` });
  const { manifest } = result;
  return manifest !== undefined && "spec" in manifest
    ? formatResult({ ...result, manifest: withoutSpec(manifest) })
    : packed;
}

function withoutSpec<M extends object>(manifest: M): object {
  return Object.fromEntries(Object.entries(manifest).filter(([field]) => field !== "spec"));
}

/**
 * Parses a termination message; undefined if the container ended without a valid result.
 *
 * @example
 * const result = parseResult("{}");
 */
export function parseResult<M extends object>(text: string | undefined): AgentResult<M> | undefined {
  if (!text) return undefined;
  try {
    const plain = text.startsWith(PACKED)
      ? gunzipSync(Buffer.from(text.slice(PACKED.length), "base64")).toString()
      : text;
    const value = JSON.parse(plain) as unknown;
    return typeof value === "object" && value !== null && "ok" in value ? (value as AgentResult<M>) : undefined;
  } catch {
    return undefined;
  }
}

/** As many rejected backups as a message can hold. */
const TOLD = 3;

/**
 * What a result says of a pruned store.
 *
 * @example
 * const summary = summarize({ removed: ["default/db/20260115T030000Z-ab12cd34"], refused: [] });
 */
export function summarize({ removed, refused }: Pick<Pruned<unknown>, "removed" | "refused">): {
  readonly removed: number;
  readonly refused?: readonly string[];
} {
  const told = refused.slice(0, TOLD).map(({ error }) => `${error.code}: ${error.message}`);
  return { removed: removed.length, ...(told.length > 0 ? { refused: told } : {}) };
}
