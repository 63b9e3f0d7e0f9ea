/** `capstan bundle validate`: reports problems of a bundle in the messages of operator-sdk, and some that it does not find. */
import { execFile } from "node:child_process";
import { readFile, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { promisify } from "node:util";
import {
  type BundleFiles,
  type Finding,
  imagesOf,
  optionalValidators,
  readBundle,
  selectValidators,
  validateBundle,
  type Validator,
  type ValidatorValues,
  type Verdict,
} from "@capstan/bundle";
import { parseLabelSelector } from "@capstan/model";
import { checkConstraint } from "../bundle/constraint.ts";
import { openBundle, ownBundle } from "../bundle/open.ts";
import { platformsOf } from "../bundle/platforms.ts";
import { type Command, defineCommand } from "../command/define.ts";
import { CliError, exitCodes } from "../errors.ts";
import { formatTable } from "../output/print.ts";
import { styleOf } from "../output/style.ts";
import type { Transfer } from "../registry/images.ts";
import { insecureOption } from "../registry/session.ts";
import type { Terminal } from "../terminal.ts";

/** Validates a bundle. */
export const bundleValidate: Command = defineCommand({
  describe: "Warnings leave the exit code at 0; errors make it 1.",
  arguments: [{ name: "BUNDLE", describe: "a folder, or an image in a registry (./bundle)", presence: "optional" }],
  options: {
    "select-optional": { type: "text", value: "SELECTOR", describe: "run the optional validators with these labels" },
    "list-optional": { type: "flag", describe: "list the optional validators, and validate nothing" },
    "optional-values": { type: "list", value: "KEY=VALUE", describe: "values for validators: k8s-version=1.36" },
    "select-external": {
      type: "list",
      value: "PROGRAM",
      describe: "programs that are called with the bundle's folder",
    },
    classic: { type: "flag", describe: "say only what operator-sdk says" },
    strict: { type: "flag", describe: "warnings count as errors" },
    insecure: insecureOption,
    output: {
      type: "text",
      short: "o",
      value: "FORMAT",
      choices: ["text", "json-alpha1", "json"],
      default: "text",
      describe: "how to print: text or json-alpha1",
    },
  },
  examples: [
    { line: "capstan bundle validate", does: "The folder bundle, by the rules that every bundle must keep" },
    {
      line: "capstan bundle validate bundle --select-optional suite=operatorframework --optional-values k8s-version=1.36",
      does: "And those of OperatorHub.io",
    },
    { line: "capstan bundle validate registry.example.com/app-bundle:v1.0.0", does: "A bundle in a registry" },
  ],
  run: async ({ options, args: [name = ownBundle], terminal }) => {
    if (options["list-optional"]) {
      listValidators(terminal);
      return exitCodes.Done.code;
    }
    const validators = choose(options["select-optional"]);
    const transfer = { terminal, insecure: options.insecure };
    const files = await openBundle(name, transfer);
    const values = await valuesOf(options["optional-values"], terminal);
    const platforms = validators.some((one) => one.name === "multiarch")
      ? await lookAtImages(files, transfer)
      : undefined;
    const verdict = validateBundle({
      files,
      validators,
      values: platforms === undefined ? values : { ...values, platforms },
      checkRule: checkConstraint,
      classic: options.classic,
    });
    const folder = resolve(terminal.cwd, name);
    const more = await runExternal(options["select-external"], folder);
    return print({ ...verdict, findings: [...verdict.findings, ...more] }, options, terminal);
  },
});

/** Only the platform validator reads images, because it is slow. */
async function lookAtImages(files: BundleFiles, transfer: Transfer): Promise<ValidatorValues["platforms"]> {
  const read = readBundle(files);
  return "bundle" in read ? platformsOf(imagesOf(read.bundle.csv), transfer) : undefined;
}

function choose(selector: string | undefined): Validator[] {
  if (selector === undefined || selector === "") return [];
  const chosen = selectValidators(parseLabelSelector(selector));
  if (chosen.length === 0)
    throw new CliError(
      "Usage",
      `no optional validator has the labels ${selector}; see capstan bundle validate --list-optional`,
    );
  return chosen;
}

function listValidators(terminal: Terminal): void {
  const rows = optionalValidators.map(({ name, labels, describe }) => [
    name,
    Object.entries(labels)
      .map(([key, value]) => `${key}=${value}`)
      .join(","),
    describe,
  ]);
  terminal.out(formatTable({ titles: ["NAME", "LABELS", "DESCRIPTION"], rows }, { ...terminal, columns: 0 }));
}

async function valuesOf(pairs: readonly string[], terminal: Terminal): Promise<ValidatorValues> {
  const values = Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf("=");
      if (at < 1) throw new CliError("Usage", `--optional-values takes KEY=VALUE, not ${pair}`);
      return [pair.slice(0, at), pair.slice(at + 1)];
    }),
  );
  const categories = terminal.env["OPERATOR_BUNDLE_CATEGORIES"];
  const indexPath = values["index-path"];
  return {
    values,
    ...(categories === undefined || categories === ""
      ? {}
      : { categories: await readCategories(resolve(terminal.cwd, categories)) }),
    ...(indexPath === undefined ? {} : { indexFile: await readIndexFile(resolve(terminal.cwd, indexPath)) }),
  };
}

async function readCategories(file: string): Promise<readonly string[]> {
  try {
    const { categories } = JSON.parse(await readFile(file, "utf8")) as { readonly categories?: readonly string[] };
    return categories ?? [];
  } catch (cause) {
    throw new CliError("BadInput", `cannot read the categories in ${file}: ${(cause as Error).message}`, { cause });
  }
}

async function readIndexFile(file: string): Promise<NonNullable<ValidatorValues["indexFile"]>> {
  try {
    if ((await stat(file)).isDirectory()) return { problem: "folder", detail: "" };
    return { text: await readFile(file, "utf8") };
  } catch (error) {
    return { problem: "missing", detail: (error as Error).message };
  }
}

/** External validators: each prints its findings as JSON. */
async function runExternal(programs: readonly string[], folder: string): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const program of programs.flatMap((list) => list.split(":")).filter((one) => one !== ""))
    findings.push(...parseExternal(await callExternal(program, folder), program));
  return findings;
}

async function callExternal(program: string, folder: string): Promise<string> {
  try {
    return (await promisify(execFile)(program, [folder], { maxBuffer: 2 ** 24 })).stdout;
  } catch (cause) {
    throw new CliError(
      "BadInput",
      `the validator ${program} did not run to its end: ${(cause as Error).message.split("\n", 1)[0]}`,
      { cause },
    );
  }
}

interface ExternalError {
  readonly Type?: string;
  readonly Field?: string;
  readonly BadValue?: unknown;
  readonly Detail?: string;
}

function parseExternal(text: string, program: string): Finding[] {
  const read = (): {
    readonly Errors?: readonly ExternalError[] | null;
    readonly Warnings?: readonly ExternalError[] | null;
  } => {
    try {
      return JSON.parse(text) as ReturnType<typeof read>;
    } catch (cause) {
      throw new CliError("BadInput", `the validator ${program} did not print a result in JSON`, { cause });
    }
  };
  const { Errors, Warnings } = read();
  const toFinding =
    (level: "Error" | "Warning") =>
    (one: ExternalError): Finding => {
      const place = [
        one.Field ? `Field ${one.Field}` : [],
        one.BadValue ? `Value ${JSON.stringify(one.BadValue)}` : [],
      ].flat();
      return { level, type: "ValidationFailed", text: `${level}: ${place.join(", ")}: ${one.Detail ?? ""}` };
    };
  return [...(Warnings ?? []).map(toFinding("Warning")), ...(Errors ?? []).map(toFinding("Error"))];
}

function print(
  { findings }: Verdict,
  { output, strict }: { readonly output: string; readonly strict: boolean },
  terminal: Terminal,
): number {
  const passed = findings.every(({ level }) => level !== "Error" && !(strict && level === "Warning"));
  if (output === "text") {
    const { red, yellow } = styleOf(terminal);
    for (const { level, text } of findings) {
      const bare = text.replace(/^(Error|Warning): /, "");
      terminal.out(`${level === "Error" ? red("error") : yellow("warning")}: ${bare}\n`);
    }
    if (passed) terminal.err("All validation tests have completed successfully\n");
  } else {
    const outputs = findings.map(({ level, text }) => ({ type: level.toLowerCase(), message: text }));
    terminal.out(`${JSON.stringify({ passed, outputs: outputs.length > 0 ? outputs : null }, undefined, 4)}\n`);
  }
  return passed ? exitCodes.Done.code : exitCodes.Failed.code;
}
