/** `stateful`: an application adapter becomes a kind and its controllers. */
import { controller } from "@capstan/runtime";
import type { Controller } from "@capstan/runtime";
import type { Fields } from "@capstan/schema";
import { runAction } from "./act/act.ts";
import type { Application } from "./application.ts";
import { backupController } from "./backup/backup-controller.ts";
import { defineBackup } from "./backup/resource.ts";
import type { BackupKind } from "./backup/resource.ts";
import { restoreController } from "./backup/restore-controller.ts";
import { defineRestore } from "./backup/restore-resource.ts";
import type { RestoreKind } from "./backup/restore-resource.ts";
import type { Action } from "./cluster/action.ts";
import type { ClusterKind } from "./cluster/resource.ts";
import { decide } from "./decide/decide.ts";
import { defineCluster } from "./kinds.ts";
import { observe, ownedKinds, readKinds } from "./observe/observe.ts";
import type { ClusterObservation, Environment, Setting } from "./observe/observe.ts";

/**
 * The names of the kind, and the application's own fields of the spec.
 *
 * @example
 * const names: Pick<StatefulOptions, "group" | "kind"> = { group: "example.com", kind: "Store" };
 */
export interface StatefulOptions {
  readonly group: string;
  readonly kind: string;
  readonly spec?: Fields;
  /** Clocks, randomness and network. */
  readonly environment: Environment;
}

/**
 * What an operator registers.
 *
 * @example
 * const run = ({ controllers }: Stateful) => operator({ name: "store-operator", controllers: [...controllers] }).run();
 */
export interface Stateful {
  readonly kind: ClusterKind;
  /** The kind of backups, if the application has any. */
  readonly backupKind: BackupKind | undefined;
  /** The kind of restores in place, if the application has backups. */
  readonly restoreKind: RestoreKind | undefined;
  readonly controllers: readonly Controller[];
}

/**
 * Makes the kind and the controllers of an application.
 *
 * @example
 * const storeOperator = <C extends AsyncDisposable, P>(store: Application<C, P>, environment: Environment) => {
 *   const { controllers } = stateful(store, { group: "example.com", kind: "Store", environment });
 *   return operator({ name: "store-operator", controllers: [...controllers] });
 * };
 */
export function stateful<C extends AsyncDisposable, P>(
  application: Application<C, P>,
  { group, kind: name, spec = {}, environment }: StatefulOptions,
): Stateful {
  const { image, versions, hasTls = false, accounts } = application;
  const kind = defineCluster({ group, kind: name, image, versions: versions.known, hasTls, accounts }, spec);
  const { backups } = application;
  const backupKind = backups && defineBackup({ group, kind: name });
  const restoreKind = backups && defineRestore({ group, kind: name });
  const setting: Setting<C, P> = {
    restoreKind,
    application,
    naming: { group, application: application.name },
    environment,
    silences: new Map(),
    attempts: new Map(),
    refusals: new Map(),
  };
  const forBackups =
    backups && backupKind && restoreKind
      ? [
          backupController(backupKind, { setting, clusterKind: kind, backups }),
          restoreController(restoreKind, { setting, clusterKind: kind, backupKind }),
        ]
      : [];
  return { kind, backupKind, restoreKind, controllers: [clusterController(kind, setting, backupKind), ...forBackups] };
}

function clusterController<C extends AsyncDisposable, P>(
  kind: ClusterKind,
  setting: Setting<C, P>,
  backupKind: BackupKind | undefined,
): Controller {
  // The kind of backups is the author's, so the types of the controller do not have it.
  const owns = (backupKind === undefined ? ownedKinds : [...ownedKinds, backupKind]) as typeof ownedKinds;
  const { compare, acknowledgements } = setting.application.topology;
  const { restoreKind } = setting;
  const reads = (restoreKind === undefined ? readKinds : [...readKinds, restoreKind]) as typeof readKinds;
  return controller(
    kind,
    { owns, reads, timeout: "2m", prune: false },
    {
      observe: (context) => observe(context, setting),
      decide: (seen: ClusterObservation<C, P>): Action => decide(seen, { compare, acknowledgements }),
      act: runAction<C, P>(setting, backupKind),
    },
  );
}
