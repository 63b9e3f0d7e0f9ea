/** Backups of clusters: made and verified by pods, kept in stores, restored into members. */
import type { Controller } from "capstan";
import { backupController } from "./backup-controller.ts";
import type { BackupMeans } from "./backup-controller.ts";
import { restoreController } from "./restore-controller.ts";

export type { BackupMeans } from "./backup-controller.ts";
export { seedParts } from "./pods.ts";
export type { BackupSource, Seed } from "./pods.ts";

/** The controllers of EtcdBackup and EtcdRestore. */
export function backupControllers(environment: BackupMeans): readonly Controller[] {
  return [backupController(environment), restoreController(environment)];
}
