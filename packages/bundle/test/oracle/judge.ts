/** Our findings and those of the oracle in a comparable form: sorted where Go's order is random. */
import { type BundleFiles, readFolder } from "../../src/read/files.ts";
import { type Bundle, aggregate, readBundle } from "../../src/read/bundle.ts";
import { validateWhole } from "../../src/validate/bundle.ts";
import { validateCrds } from "../../src/validate/crd.ts";
import { validateCsv } from "../../src/validate/csv.ts";
import type { Finding } from "../../src/validate/finding.ts";
import { formatProblems } from "../../src/validate/format.ts";
import { imagesOf } from "../../src/validate/multi-arch.ts";
import { optionalValidators } from "../../src/validate/validators.ts";
import { platformsFor } from "./platforms.ts";

/** A response of the oracle. */
export interface Answer {
  readonly panic?: string;
  readonly load?: string;
  readonly format: readonly string[];
  readonly results: { readonly [validator: string]: readonly Finding[] };
}

const defaults: { readonly [name: string]: (bundle: Bundle) => readonly Finding[] } = {
  bundle: validateWhole,
  csv: ({ csv }) => validateCsv(csv),
  crd: validateCrds,
};

/** Our result for a folder. */
export async function judge(folder: string, values: { readonly [key: string]: string } = {}): Promise<Answer> {
  return judgeFiles(await readFolder(folder), values);
}

/** Our result for files. */
export function judgeFiles(files: BundleFiles, values: { readonly [key: string]: string } = {}): Answer {
  const read = readBundle(files);
  const format = formatProblems(files, read.metadata);
  if ("problems" in read) return { load: aggregate(read.problems), format, results: {} };
  const results: { [name: string]: readonly Finding[] } = {};
  for (const [name, validate] of Object.entries(defaults)) results[name] = validate(read.bundle);
  const platforms = new Map(imagesOf(read.bundle.csv).map((image) => [image, platformsFor(image)]));
  for (const { name, validate } of optionalValidators)
    results[name] = validate(read.bundle, name === "multiarch" ? { values, platforms } : { values });
  return { format, results };
}

/** The result as sorted lines without what differs between runs: memory addresses, folders, Go's map order. */
export function toLines({ panic, load, format, results }: Answer, folder: string): string[] {
  const found = Object.entries(results).flatMap(([name, findings]) =>
    findings.map(({ type, text }) => `${name}: ${type}: ${text}`),
  );
  return [
    ...(panic === undefined ? [] : ["panic"]),
    ...(load === undefined ? [] : [`load: ${load}`]),
    ...format.map((text) => `format: ${text}`),
    ...found,
  ]
    .map((line) => steady(line, folder))
    .sort();
}

function steady(line: string, folder: string): string {
  return (
    line
      .replaceAll(folder === "" ? "\0" : `${folder}/`, "")
      // A whole object in a sentence: we give its name, or the rule as JSON.
      .replace(
        /(ObjectFailedValidation: Error|objects: ValidationFailed: Warning): Value .*: (\S+ field cannot|RBAC)/s,
        "$1: OBJECT: $2",
      )
      .replace(
        /Field spec.versions, Value \[.*?\]: spec.versions/,
        "Field spec.versions, Value VERSIONS: spec.versions",
      )
      .replace(/Value (0x[0-9a-f]+|true|false):/g, "Value POINTER:")
      .replace(/channel\(s\) \[([^\]]*)\]/, (_, list: string) => `channel(s) [${list.split(" ").sort().join(" ")}]`)
      .replace(
        /((?:Migrate|Upgrade) the APIs?(?:\(s\))? (?:from )?for )((?:\w+: \(\[[^\]]*\]\),?)+)/,
        (_, before: string, list: string) => before + (list.match(/\w+: \(\[[^\]]*\]\)/g) ?? []).sort().join(","),
      )
  );
}
