/** The images of an operator that others wrote, CloudNativePG, and of the PostgreSQL that it runs. */

import { appendFile, rm, symlink } from "node:fs/promises";
import { arch } from "node:os";
import { join } from "node:path";

import { buildPrograms, programPath } from "../build.ts";
import { cloudNativePg } from "../go-module.ts";
import type { Progress } from "../progress.ts";
import { CLOUDNATIVE_PG_VERSION } from "../releases.ts";
import { addPackages, addProgram, addShell, makeRoot } from "./root-file-system.ts";
import type { Recipe } from "./test-images.ts";

const POSTGRES = "15";
const PROGRAMS = `usr/lib/postgresql/${POSTGRES}`;

/** The user that the operator runs PostgreSQL as. */
const USER = 26;

/** The operator under the name that its manifests ask for, and PostgreSQL as Debian has it. */
export const cloudNativePgRecipes: readonly Recipe[] = [
  {
    name: "cloudnative-pg",
    reference: `ghcr.io/cloudnative-pg/cloudnative-pg:${CLOUDNATIVE_PG_VERSION}`,
    config: { Entrypoint: ["/manager"], User: "65532:65532" },
    fill: fillOperator,
  },
  {
    name: "postgresql",
    reference: `capstan.test/postgresql:${POSTGRES}`,
    config: { Cmd: ["postgres"], User: `${USER}`, Env: [`PATH=/${PROGRAMS}/bin:/usr/local/bin:/usr/bin:/usr/sbin`] },
    fill: fillPostgres,
  },
];

/** It finds itself once for each architecture, as its own image has it. */
async function fillOperator(root: string, progress: Progress): Promise<void> {
  const program = cloudNativePg();
  await buildPrograms([program], progress);
  await makeRoot(root);
  const own = `operator/manager_${arch() === "x64" ? "amd64" : arch()}`;
  await addProgram(root, own, programPath(program));
  await symlink(own, join(root, "manager"));
}

/** Without the compiler for long queries, which is three times as large as all the rest. */
async function fillPostgres(root: string): Promise<void> {
  await makeRoot(root);
  const packages = [`postgresql-${POSTGRES}`, `postgresql-client-${POSTGRES}`, "tzdata", "zlib1g"];
  await addPackages(root, packages, ["libllvm14"]);
  await addShell(root);
  for (const part of ["llvmjit.so", "bitcode"]) {
    await rm(join(root, PROGRAMS, "lib", part), { recursive: true, force: true });
  }
  await appendFile(join(root, "etc/passwd"), `postgres:x:${USER}:${USER}:postgres:/var/lib/postgresql:/bin/sh\n`);
  await appendFile(join(root, "etc/group"), `postgres:x:${USER}:\n`);
}
