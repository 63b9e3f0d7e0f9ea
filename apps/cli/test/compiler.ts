/** Reads the errors of a failed compiler run. A compiler that did not start says nothing about files. */
import assert from "node:assert/strict";

/** The error lines of a failed compiler run; other failures are thrown again. */
export function compilerErrors(thrown: unknown): string[] {
  const { code, stdout = "" } = thrown as { code?: unknown; stdout?: string };
  const lines = stdout.split("\n").filter((line) => /\berror TS\d+:/.test(line));
  if (typeof code !== "number" || lines.length === 0) throw thrown;
  assert.ok(
    lines.some((line) => /^\S+\(\d+,\d+\): error TS/.test(line)),
    `the compiler looked at no file: ${lines.join("\n")}`,
  );
  return lines;
}
