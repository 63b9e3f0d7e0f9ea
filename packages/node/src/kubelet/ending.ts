/** How a command ended, in the forms in which clients want to hear it. Pure. */

interface Told {
  readonly code?: number | null;
  readonly error?: string;
}

/** A command that was killed has no code of its own. */
const killed = 137;

/** As a Status: the code is among the causes. */
export function toStatus(told: Buffer): Buffer {
  const { code, error } = parse(told);
  if (code === 0) return toJson({ metadata: {}, status: "Success" });
  if (error !== undefined)
    return toJson({ metadata: {}, status: "Failure", reason: "InternalError", message: error, code: 500 });
  const exitCode = code ?? killed;
  return toJson({
    metadata: {},
    status: "Failure",
    message: `command terminated with non-zero exit code: exit status ${exitCode}`,
    reason: "NonZeroExitCode",
    details: { causes: [{ reason: "ExitCode", message: String(exitCode) }] },
  });
}

/** In words; success needs none. */
export function toWords(told: Buffer): Buffer {
  const { code, error } = parse(told);
  if (code === 0) return Buffer.alloc(0);
  return Buffer.from(error ?? `command terminated with non-zero exit code: exit status ${code ?? killed}`);
}

function parse(told: Buffer): Told {
  return JSON.parse(told.toString("utf8")) as Told;
}

function toJson(value: object): Buffer {
  return Buffer.from(JSON.stringify(value));
}
