/** Links a checkout of the framework into a project, so that it needs no registry. */
import { chmod, mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { CliError } from "../errors.ts";
import { exists } from "./disk.ts";

const linked = ["capstan", "typescript", "@types/node"];

/** Creates `node_modules` with links into the checkout, and the two commands that scripts call. */
export async function linkCheckout(root: string, checkout: string): Promise<void> {
  if (!(await exists(join(checkout, "apps/cli/src/main.ts")))) {
    throw new CliError("BadInput", `${checkout} is not a checkout of capstan`);
  }
  const modules = join(root, "node_modules");
  await mkdir(join(modules, ".bin"), { recursive: true });
  await mkdir(join(modules, "@types"), { recursive: true });
  for (const name of linked) {
    if (!(await exists(join(modules, name)))) await symlink(join(checkout, "node_modules", name), join(modules, name));
  }
  const node = `${checkout}/node_modules/.bin/node`;
  await command(join(modules, ".bin/node"), `exec "${node}" "$@"`);
  await command(join(modules, ".bin/tsc"), `exec "${node}" "${checkout}/node_modules/typescript/bin/tsc" "$@"`);
  await command(
    join(modules, ".bin/capstan"),
    `exec "${node}" --conditions=@capstan/source "${checkout}/apps/cli/src/main.ts" "$@"`,
  );
}

async function command(path: string, line: string): Promise<void> {
  await writeFile(path, `#!/bin/sh\n${line}\n`);
  await chmod(path, 0o755);
}
