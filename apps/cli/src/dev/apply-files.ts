/** Applies objects from files to a cluster. */
import { resolve } from "node:path";
import type { Client } from "@capstan/client";
import { parseApiVersion, type KubeObject } from "@capstan/model";
import { apiOf } from "@capstan/runtime";
import { toCliError } from "../errors.ts";
import { readText } from "../project/disk.ts";
import { readYaml } from "../project/yaml.ts";

/** Reads these files before anything is started, so that a wrong name fails at once. */
export async function checkFiles(files: readonly string[], cwd: string): Promise<void> {
  for (const file of files) readYaml(await readText(resolve(cwd, file)), file);
}

/** Applies every object of these files; returns a line for each. */
export async function applyFiles(client: Client, files: readonly string[], cwd: string): Promise<readonly string[]> {
  const lines: string[] = [];
  for (const file of files) {
    try {
      const text = await readText(resolve(cwd, file));
      for (const object of readYaml(text, file)) lines.push(await applyObject(client, object as KubeObject));
    } catch (error) {
      lines.push(`cannot apply ${file}: ${toCliError(error).message}`);
    }
  }
  return lines;
}

async function applyObject(client: Client, object: KubeObject): Promise<string> {
  const { group, version } = parseApiVersion(object.apiVersion);
  const kind = await client.resourceFor({ group, version, kind: object.kind });
  const namespace = kind.scope === "Cluster" ? {} : { namespace: object.metadata.namespace ?? "default" };
  const placed = { ...object, metadata: { ...object.metadata, ...namespace } };
  await apiOf(client).apply(kind, placed, { manager: "capstan-dev", force: true });
  return `applied ${object.kind} ${placed.metadata.name}`;
}
