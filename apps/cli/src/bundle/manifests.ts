/** Reads the manifests of an operator: the files of a folder, or a stream. */
import { readdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Manifest } from "@capstan/bundle";
import { atPath } from "../disk-error.ts";
import { CliError } from "../errors.ts";
import { readText } from "../project/disk.ts";
import { readYaml } from "../project/yaml.ts";
import type { Terminal } from "../terminal.ts";

/** Reads every object of a folder and its subfolders, or of standard input. */
export async function readManifests(folder: string, terminal: Terminal): Promise<Manifest[]> {
  const texts =
    folder === "-"
      ? [["standard input", await terminal.input()] as const]
      : await readTexts(resolve(terminal.cwd, folder));
  const objects = texts.flatMap(([name, text]) => readObjects(name, text));
  if (objects.length === 0) throw new CliError("BadInput", `there are no manifests in ${folder}`);
  return objects;
}

async function readTexts(folder: string): Promise<(readonly [string, string])[]> {
  const names = await atPath(folder, readdir(folder, { recursive: true }));
  const files = names.filter((name) => /\.(ya?ml|json)$/.test(name)).sort();
  return Promise.all(files.map(async (name) => [name, await readText(join(folder, name))] as const));
}

function readObjects(name: string, text: string): Manifest[] {
  return readYaml(text, name).flatMap(itemsOf);
}

/** Flattens lists and drops documents that are not Kubernetes objects, such as a kustomization. */
function itemsOf(value: unknown): Manifest[] {
  if (typeof value !== "object" || value === null || !("kind" in value)) return [];
  const { items, kind } = value as { readonly items?: unknown; readonly kind: unknown };
  if (kind === "List" && Array.isArray(items)) return items.flatMap(itemsOf);
  return typeof kind === "string" && kind !== "Kustomization" ? [value as Manifest] : [];
}
