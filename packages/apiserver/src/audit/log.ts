/** An audit log in a file, one event a line, as kube-apiserver writes it with `--audit-log-path`. */
import { closeSync, openSync, writeSync } from "node:fs";
import { toGoJson } from "@capstan/model";
import type { AuditEvent } from "./event.ts";

/** An open audit log. */
export interface AuditLog extends Disposable {
  /** Appends a line; it is handed to the operating system when this returns. */
  readonly tell: (event: AuditEvent) => void;
  close(): void;
}

const standardOutput = 1;

/** Opens a log for appending; `-` is the standard output. Only its owner may read the file. */
export function openAuditLog(path: string): AuditLog {
  const file = path === "-" ? standardOutput : openSync(path, "a", 0o600);
  const close = (): void => {
    if (file !== standardOutput) closeSync(file);
  };
  return {
    tell: (event) => void writeSync(file, `${toGoJson(event)}\n`),
    close,
    [Symbol.dispose]: close,
  };
}
