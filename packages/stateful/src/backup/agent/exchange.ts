/** The output of the server's container: a named pipe for the content, and a file for the exit code of the program. */
import { createReadStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "@capstan/model";
import { BackupError } from "../errors.ts";

const STREAM = "stream";
const STATUS = "status";
const STATUS_DELAY_MS = 100;
/** The program has ended when its output ends; its exit code follows at once. */
const STATUS_ATTEMPTS = 300;

/** Runs a script in the server's container: its output goes into the pipe, its last error into the termination message. */
export function handOverScript(folder: string, script: string): string {
  return `set -u
exec 3> ${folder}/${STREAM}
( ${script}
) >&3 2> /scratch/errors
code=$?
exec 3>&-
[ $code = 0 ] || tail -c 1500 /scratch/errors | tee /dev/termination-log || true
echo $code > ${folder}/${STATUS}.new
mv ${folder}/${STATUS}.new ${folder}/${STATUS}
exit $code
`;
}

/** Makes the pipe. */
export function prepareScript(folder: string): string {
  return `set -eu\nrm -f ${folder}/${STREAM} ${folder}/${STATUS}\nmkfifo -m 660 ${folder}/${STREAM}\n`;
}

/** The content that the server's container writes. Fails at its end if the program failed. */
export async function* receive(
  folder: string,
  { clock, signal }: { readonly clock: Clock; readonly signal?: AbortSignal | undefined },
): AsyncGenerator<Buffer, void, void> {
  for await (const part of createReadStream(join(folder, STREAM), { highWaterMark: 1 << 18 })) yield part as Buffer;
  for (let attempt = 0; attempt < STATUS_ATTEMPTS; attempt++) {
    signal?.throwIfAborted();
    const code = await readFile(join(folder, STATUS), "utf8").catch(() => undefined);
    if (code?.trim() === "0") return;
    if (code !== undefined) {
      throw new BackupError(
        "Truncated",
        `the server's program ended with ${code.trim()}: see the log of its container`,
      );
    }
    await new Promise<void>((resolve) => void clock.later(STATUS_DELAY_MS, resolve));
  }
  throw new BackupError("Truncated", "the server's container ended without a word: it was killed");
}
