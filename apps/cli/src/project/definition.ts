/** Loads a generated definition as a program would, to check it before use. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { CustomResourceDefinition } from "@capstan/schema";
import { CliError } from "../errors.ts";

/** The CRD of the resource that a source defines. */
export async function crdOfSource(source: string, name: string): Promise<CustomResourceDefinition> {
  const folder = await mkdtemp(join(tmpdir(), "capstan-definition-"));
  try {
    const file = join(folder, "definition.ts");
    const schema = import.meta.resolve("@capstan/schema");
    await writeFile(file, source.replace(` from "capstan";`, ` from ${JSON.stringify(schema)};`));
    const exported = (await import(pathToFileURL(file).href)) as { readonly [name: string]: Definition };
    const [definition] = Object.values(exported);
    if (definition === undefined) throw new Error("it defines nothing");
    return definition.toCrd();
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new CliError("BadInput", `${name} cannot be said as a definition: ${why.split("\n", 1)[0]}`, { cause });
  } finally {
    await rm(folder, { recursive: true });
  }
}

interface Definition {
  readonly toCrd: () => CustomResourceDefinition;
}
