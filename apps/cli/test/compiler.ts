/** What a compiler that ended badly had to say. One that did not start has nothing to say about anybody's files. */
import assert from "node:assert/strict";

/** The lines with errors, from what running the compiler threw; every other end is thrown on. */
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
