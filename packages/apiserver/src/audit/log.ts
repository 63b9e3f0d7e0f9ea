/** An audit log in a file, one event a line, as kube-apiserver writes it with `--audit-log-path`. */
import { closeSync, openSync, writeSync } from "node:fs";
import { toGoJson } from "@capstan/model";
import type { AuditEvent } from "./event.ts";

/** A file that is open. */
export interface AuditLog extends Disposable {
  /** Adds a line; it is in the hands of the operating system when this returns. */
  readonly tell: (event: AuditEvent) => void;
  close(): void;
}

const standardOutput = 1;

/** Opens a log, with new lines after those that are there; `-` is the standard output. Only its owner may read it. */
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
