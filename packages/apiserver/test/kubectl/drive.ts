/** Runs kubectl on a server and records its output, without values that differ between runs. */
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { commands, wordsOf } from "./commands.ts";
import { manifests } from "./manifests.ts";

/** The output and exit code of a command. */
export interface Said {
  readonly command: string;
  readonly status: number;
  readonly output: readonly string[];
}

/** The kubectl, the server and a new namespace: eight letters, so that column widths match the recording. */
export interface Drive {
  readonly kubectl: string;
  /** As JSON, which is also YAML. */
  readonly kubeconfig: string;
  readonly namespace: string;
}

/** Runs all commands in order. */
export async function* drive({ kubectl, kubeconfig, namespace }: Drive): AsyncGenerator<Said> {
  const folder = await mkdtemp(join(tmpdir(), "kubectl-"));
  const named = (text: string): string => text.replaceAll("$NS", namespace);
  try {
    await writeFile(join(folder, "kubeconfig"), kubeconfig);
    for (const [name, text] of Object.entries(manifests)) await writeFile(join(folder, name), named(text));
    for (const command of commands) {
      const { status, text } = await run(kubectl, wordsOf(named(command)), folder);
      yield { command, status, output: toLines(isBuiltinExplained(command) ? withoutWords(text) : text, namespace) };
    }
  } finally {
    await rm(folder, { recursive: true });
  }
}

function run(kubectl: string, words: readonly string[], folder: string): Promise<{ status: number; text: string }> {
  const env = {
    PATH: process.env["PATH"],
    HOME: folder,
    KUBECONFIG: "kubeconfig",
    KUBE_EDITOR: "sed -i s/k:.v/k:\\ edited/",
  };
  return new Promise((resolve) => {
    execFile(
      kubectl,
      ["--cache-dir=cache", ...words],
      { cwd: folder, env, timeout: 60_000 },
      (error, stdout, stderr) => {
        const status = error === null ? 0 : typeof error.code === "number" ? error.code : -1;
        resolve({ status, text: stdout + stderr });
      },
    );
  });
}

/** The built-in kinds are served without the descriptions of Kubernetes. */
function isBuiltinExplained(command: string): boolean {
  return command.startsWith("explain ") && !command.includes("$NS");
}

/** Field lines have a tab before the type, or an equals sign around a list; other indented lines are descriptions. */
function withoutWords(text: string): string {
  return text
    .split("\n")
    .filter((line) => !/^(\s*|\s+[^\t]*)$/.test(line))
    .join("\n");
}

/** Values that differ between runs, and their placeholders. */
const volatile: readonly (readonly [RegExp, string])[] = [
  [/\b(\d+m)?\d+(ms|s)(?=\s|$)/g, "0s"],
  [
    /\b((last)?[tT]ime|timestamp|creationTimestamp|CreationTimestamp|deletionTimestamp|uid|UID|resourceVersion|Resource Version)("?:\s+)\S.*$/gm,
    "$1$3~",
  ],
  [/\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+ \+0000|Z)/g, "<time>"],
  [/[^ ]*\/(LIVE|MERGED)-\d+/g, "$1"],
  [/https?:\/\/[\w.]+:\d+/g, "<server>"],
  [/^[EIW]\d{4} .*$/gm, "<log line>"],
  [/[ \t]+$/gm, ""],
  // Column widths depend on the ages.
  [/(?<=\S) {2,}/g, "  "],
];

function toLines(text: string, namespace: string): string[] {
  const stable = volatile.reduce((said, [pattern, stand]) => said.replaceAll(pattern, stand), text);
  return stable.replaceAll(namespace, "$NS").trimEnd().split("\n");
}
