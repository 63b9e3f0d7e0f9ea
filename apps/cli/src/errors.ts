/** The errors that end a command, and their exit codes. */
import { describeDiskError } from "./disk-error.ts";

/** The exit codes, each with what it means. Scripts may rely on them. */
export const exitCodes = {
  Done: { code: 0, means: "done" },
  Failed: { code: 1, means: "it ran, and the answer is no" },
  Usage: { code: 2, means: "the command line was not understood" },
  BadInput: { code: 3, means: "a name, a file or a program that was given cannot be used" },
  Project: { code: 4, means: "there is no project here, or one is in the way" },
  Conflict: { code: 5, means: "changes overlap with yours; the places are marked" },
  Cluster: { code: 6, means: "the cluster cannot be reached, or refused" },
  Disk: { code: 7, means: "a file cannot be read or written" },
  Registry: { code: 8, means: "a registry of images cannot be reached, or refused" },
  Bug: { code: 70, means: "a mistake in capstan itself" },
  Interrupted: { code: 130, means: "interrupted from the keyboard" },
} as const satisfies { readonly [name: string]: { readonly code: number; readonly means: string } };

/** Why a command ended. */
export type CliErrorCode = Exclude<keyof typeof exitCodes, "Done">;

/** An error that ends a command, with one sentence that says what to do. */
export class CliError extends Error {
  override readonly name = "CliError";
  readonly code: CliErrorCode;

  constructor(code: CliErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

const networkCodes: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "ENOTFOUND",
  "ETIMEDOUT",
  "EHOSTUNREACH",
]);

/** Error classes of other packages, and their codes here. By name, because a project has its own copy of them. */
const foreign: { readonly [name: string]: CliErrorCode } = {
  ScaffoldError: "BadInput",
  BundleError: "BadInput",
  CatalogError: "BadInput",
  DefinitionError: "BadInput",
  RuntimeError: "BadInput",
  ParseError: "BadInput",
  DataFolderError: "BadInput",
  ConfigError: "Cluster",
  ConnectionError: "Cluster",
  ApiError: "Cluster",
  NodeError: "Failed",
  ClusterError: "Failed",
  ForbiddenError: "Cluster",
};

/** Errors of metering by their code. */
const meterCodes: { readonly [code: string]: CliErrorCode } = {
  BadBook: "BadInput",
  BadInput: "BadInput",
  BadSql: "BadInput",
  Corrupt: "Disk",
  Disk: "Disk",
  Limit: "Failed",
  Locked: "Conflict",
  MissingEngine: "BadInput",
  Newer: "BadInput",
  NotReady: "Failed",
  Unreachable: "Cluster",
  Usage: "Usage",
};

/** Image errors are either errors of the registry or bad input of the user. */
const registryCodes: ReadonlySet<string> = new Set(["NotFound", "Unauthorized", "Refused", "Unreachable"]);

/** Converts a thrown value to the error that ends a command. */
export function toCliError(thrown: unknown): CliError {
  if (thrown instanceof CliError) return thrown;
  if (!(thrown instanceof Error)) return new CliError("Bug", String(thrown));
  const system = "code" in thrown ? String(thrown.code) : "";
  if (thrown.name === "OciError")
    return new CliError(registryCodes.has(system) ? "Registry" : "BadInput", thrown.message, { cause: thrown });
  if ("syscall" in thrown && thrown.syscall === "listen")
    return new CliError(
      "Failed",
      `nothing can listen there: ${thrown.message}; choose another port, or end what uses it`,
      { cause: thrown },
    );
  if (thrown.name === "MeterError")
    return new CliError(meterCodes[system] ?? "Failed", thrown.message, { cause: thrown });
  const disk = describeDiskError(thrown);
  if (disk !== undefined) return new CliError("Disk", disk, { cause: thrown });
  if (networkCodes.has(system)) return new CliError("Cluster", thrown.message, { cause: thrown });
  return new CliError(foreign[thrown.name] ?? "Bug", thrown.message, { cause: thrown });
}
