/** Compiles programs as a user's project does, and returns the errors of each. */
import { execFile } from "node:child_process";
import { mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

/** An error of the compiler. */
export interface CompilerError {
  /** The line of the program, from 1. */
  readonly line: number;
  /** The first line of the message, with its code. */
  readonly message: string;
}

const checkout = fileURLToPath(new URL("../../../../", import.meta.url));

/** The errors of each program, in the order in which the compiler prints them. The folder is empty and stays with its files. */
export async function compile(
  folder: string,
  programs: ReadonlyMap<string, string>,
): Promise<ReadonlyMap<string, readonly CompilerError[]>> {
  await mkdir(folder, { recursive: true });
  await rm(`${folder}/node_modules`, { force: true });
  await symlink(`${checkout}node_modules`, `${folder}/node_modules`);
  await writeFile(`${folder}/package.json`, '{ "type": "module" }');
  const compilerOptions = { noEmit: true, typeRoots: [`${checkout}node_modules/@types`] };
  const config = { extends: `${checkout}tsconfig.base.json`, compilerOptions, include: ["*.ts"] };
  await writeFile(`${folder}/tsconfig.json`, JSON.stringify(config));
  for (const [name, text] of programs) await writeFile(`${folder}/${name}.ts`, text);
  const output = await outputOf(folder);
  return new Map([...programs.keys()].map((name) => [name, errorsOf(output, name)]));
}

async function outputOf(folder: string): Promise<string> {
  const compiler = `${checkout}node_modules/typescript/bin/tsc`;
  try {
    await promisify(execFile)(process.execPath, [compiler, "-p", folder, "--pretty", "false"], { cwd: folder });
    return "";
  } catch (error) {
    const { code, stdout = "" } = error as { readonly code?: unknown; readonly stdout?: string };
    if (typeof code !== "number" || !stdout.includes("error TS")) throw error;
    return stdout;
  }
}

function errorsOf(output: string, name: string): CompilerError[] {
  // linear: one line of the compiler's output
  const pattern = /^([^(]+)\.ts\((\d+),\d+\): error (TS\d+: .*)$/u;
  return output.split("\n").flatMap((text) => {
    const [, file = "", line, message = ""] = pattern.exec(text) ?? [];
    return file.split("/").at(-1) === name ? [{ line: Number(line), message }] : [];
  });
}
