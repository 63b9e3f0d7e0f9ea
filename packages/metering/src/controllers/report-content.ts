/** What a result holds: its text under one key, compressed where a ConfigMap would be too large. */
import { gzipSync } from "node:zlib";
import { MeterError } from "../error.ts";
import type { KeptResult, ResultFormat } from "../kinds/usage-report.ts";

/** A ConfigMap holds 1 MiB; names and labels need some of it. */
const sizeLimit = 1_000_000;

/** The fields of a ConfigMap or Secret with the text of a report. */
export function contentOf(
  text: string,
  { kind, format }: { readonly kind: KeptResult["kind"]; readonly format: ResultFormat },
): { readonly [field: string]: { readonly [key: string]: string } } {
  const key = `report.${format === "json" ? "json" : "csv"}`;
  const plain = Buffer.from(text);
  // Secrets hold base64, which is what counts for the limit of etcd.
  const isLarge = plain.length * (kind === "Secret" ? 4 / 3 : 1) > sizeLimit;
  if (!isLarge && kind === "ConfigMap") return { data: { [key]: text } };
  if (!isLarge) return { data: { [key]: plain.toString("base64") } };
  const packed = gzipSync(plain).toString("base64");
  if (packed.length > sizeLimit)
    throw new MeterError(
      "Limit",
      `the result has ${plain.length} bytes, too many for a ${kind} even when compressed; use fewer dimensions, a longer bucket or a shorter period`,
    );
  return { [kind === "Secret" ? "data" : "binaryData"]: { [`${key}.gz`]: packed } };
}

/** The name of a result: that of the report, and with a schedule the end of the period. */
export function resultName(
  report: {
    readonly metadata: { readonly name: string };
    readonly spec: { readonly output: { readonly name?: string } };
  },
  end: number | undefined,
): string {
  const base = report.spec.output.name ?? report.metadata.name;
  if (end === undefined) return base;
  const stamp = new Date(end)
    .toISOString()
    .replace(/\.\d+Z$/, "z")
    .replaceAll(/[-:]/g, "")
    .toLowerCase();
  return `${base}-${stamp}`;
}
