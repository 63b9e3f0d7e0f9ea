/** Rolls a Deployment back to an earlier template when an annotation requests it. */
import type { Client } from "@capstan/client";
import { Deployment } from "@capstan/kinds/apps/v1";
import type { ReplicaSet } from "@capstan/kinds/apps/v1";
import { FIELD_MANAGER } from "../controller/context.ts";
import { annotationsAfterRollback, previousRevision, revisionOf, ROLLBACK_TO } from "./annotations.ts";
import { isSameTemplate, withoutHash } from "./replica-set.ts";

/** What a rollback needs from the reconcile. */
export interface RollbackContext {
  readonly client: Client;
  readonly deployment: Deployment;
  readonly signal: AbortSignal;
  readonly recordEvent: (type: "Normal" | "Warning", reason: string, note: string) => void;
}

/** Rolls back and removes the annotation. A rollback that is not possible records a warning and removes the annotation too. */
export async function rollBack(context: RollbackContext, sets: readonly ReplicaSet[]): Promise<void> {
  const { deployment, recordEvent } = context;
  const wanted = rollbackRevision(deployment);
  const revision = wanted === 0n ? previousRevision(sets) : wanted;
  const target = revision > 0n ? sets.find((set) => revisionOf(set) === revision) : undefined;
  const name = `"${deployment.metadata.name}"`;
  const { [ROLLBACK_TO]: _wish, ...annotations } = deployment.metadata.annotations ?? {};
  if (target === undefined) {
    recordEvent("Warning", "DeploymentRollbackRevisionNotFound", "Unable to find the revision to rollback to.");
    return replace(context, { annotations, spec: deployment.spec });
  }
  if (isSameTemplate(target.spec?.template, deployment.spec?.template)) {
    const note = `The rollback revision contains the same template as current deployment ${name}`;
    recordEvent("Warning", "DeploymentRollbackTemplateUnchanged", note);
    return replace(context, { annotations, spec: deployment.spec });
  }
  const template = withoutHash(target.spec?.template ?? {});
  const spec = deployment.spec && { ...deployment.spec, template };
  await replace(context, { annotations: annotationsAfterRollback(deployment, target), spec });
  recordEvent("Normal", "DeploymentRollback", `Rolled back deployment ${name} to revision ${revision}`);
}

/** The requested revision; -1 if the annotation is not a number. */
function rollbackRevision({ metadata }: Deployment): bigint {
  const text = metadata.annotations?.[ROLLBACK_TO] ?? "";
  return /^\d+$/u.test(text) ? BigInt(text) : -1n;
}

interface Replacement {
  readonly annotations: { readonly [name: string]: string };
  readonly spec: Deployment["spec"];
}

async function replace({ client, deployment, signal }: RollbackContext, change: Replacement): Promise<void> {
  const { managedFields: _managedFields, ...kept } = deployment.metadata;
  const metadata = { ...kept, annotations: change.annotations };
  const spec = change.spec === undefined ? {} : { spec: change.spec };
  await client.update(Deployment, { ...deployment, metadata, ...spec }, { fieldManager: FIELD_MANAGER, signal });
}
