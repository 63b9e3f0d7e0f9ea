/** The end of a command, in the formats that clients expect. Pure. */
import { execFailure } from "../linux/exit.ts";
import type { CommandEnd } from "../linux/protocol.ts";

/** A command that was killed has no exit code. */
const killed = 137;

/** As a Status, with the exit code in its causes. */
export function toStatus(told: Buffer, command: readonly string[]): Buffer {
  const { code, error } = parse(told, command);
  if (code === 0) return toJson({ metadata: {}, status: "Success" });
  if (error !== undefined) return toJson(internalError(error));
  const exitCode = code ?? killed;
  return toJson({
    metadata: {},
    status: "Failure",
    message: `command terminated with non-zero exit code: exit status ${exitCode}`,
    reason: "NonZeroExitCode",
    details: { causes: [{ reason: "ExitCode", message: String(exitCode) }] },
  });
}

/** As text, which is empty on success. */
export function toWords(told: Buffer, command: readonly string[]): Buffer {
  const { code, error } = parse(told, command);
  if (code === 0) return Buffer.alloc(0);
  if (error !== undefined) return Buffer.from(internalError(error).message);
  return Buffer.from(`command terminated with non-zero exit code: exit status ${code ?? killed}`);
}

function internalError(error: string) {
  const message = `Internal error occurred: ${error}`;
  const details = { causes: [{ message: error }] };
  return { metadata: {}, status: "Failure", message, reason: "InternalError", details, code: 500 } as const;
}

/** A command that could not be run has no exit code. */
function parse(told: Buffer, command: readonly string[]): Pick<CommandEnd, "code" | "error"> {
  const { refused, ...end } = JSON.parse(told.toString("utf8")) as CommandEnd;
  if (refused === undefined) return end;
  return { error: `error executing command in container: ${execFailure(refused, command)}` };
}

function toJson(value: object): Buffer {
  return Buffer.from(JSON.stringify(value));
}
