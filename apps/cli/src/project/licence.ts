/** The licence header of source files. */
import { resolve } from "node:path";
import { CliError } from "../errors.ts";
import { readText } from "./disk.ts";

interface Asked {
  readonly license: string;
  readonly "license-file": string | undefined;
  readonly owner: string | undefined;
  readonly cwd: string;
  readonly year: number;
}

/** The requested header. */
export async function licenceHeader({
  license,
  "license-file": file,
  owner,
  cwd,
  year,
}: Asked): Promise<string | undefined> {
  if (file !== undefined) return toComment(await readText(resolve(cwd, file)));
  if (license === "none") {
    if (owner !== undefined)
      throw new CliError("Usage", "--owner is named in a licence header: say which with --license");
    return undefined;
  }
  const holder = owner === undefined ? `${year} The authors` : `${year} ${owner}`;
  const identifier = license === "mit" ? "MIT" : "Apache-2.0";
  return `// SPDX-FileCopyrightText: ${holder}\n// SPDX-License-Identifier: ${identifier}`;
}

/** A text as a comment; an existing comment stays as it is. */
function toComment(text: string): string {
  const trimmed = text.trim();
  if (trimmed === "") throw new CliError("BadInput", "the licence file is empty");
  if (trimmed.startsWith("//") || trimmed.startsWith("/*")) return trimmed;
  return trimmed
    .split("\n")
    .map((line) => `// ${line}`.trimEnd())
    .join("\n");
}
