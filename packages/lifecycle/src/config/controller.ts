/** Reconciles the OLMConfig: its condition says whether the copied CSVs are as `disableCopiedCSVs` demands. */
import { Namespace } from "@capstan/kinds/v1";
import { setCondition } from "@capstan/model";
import type { Controller } from "@capstan/runtime";
import { isCopied } from "../csv/replacement.ts";
import { ClusterServiceVersion } from "../kinds/csv.ts";
import { OLMConfig } from "../kinds/olm-config.ts";
import { OperatorGroup } from "../kinds/operator-group.ts";
import { defineSync } from "../manager/define.ts";
import type { Sync } from "../manager/reader.ts";
import type { ManagerSetting } from "../manager/setting.ts";
import { nowOf } from "../manager/time.ts";

/** The controller of the OLMConfig. */
export function configController(setting: ManagerSetting): Controller {
  return defineSync({ name: "olmconfig", kind: OLMConfig, sync: (sync) => reconcile(sync, setting) });
}

async function reconcile(sync: Sync<OLMConfig>, { cluster, clock }: ManagerSetting): Promise<undefined> {
  const { object } = sync;
  const isEnabled = object.spec?.features?.disableCopiedCSVs !== true;
  const condition = conditionFor(isEnabled, isSettled(sync, isEnabled));
  const known = object.status?.conditions ?? [];
  const conditions = setCondition(known, condition, nowOf(clock));
  if (conditions === known) return undefined;
  await cluster.changeStatus(OLMConfig, {
    before: object,
    after: { ...object, status: { ...object.status, conditions } },
  });
  return undefined;
}

/** Whether every CSV of an OperatorGroup for all namespaces has a copy in each other namespace; none, if copies are disabled. */
function isSettled({ find }: Sync<OLMConfig>, isEnabled: boolean): boolean {
  const active = find(Namespace, { namespace: "*" }).filter(({ status }) => status?.phase === "Active").length;
  const wanted = isEnabled ? active - 1 : 0;
  const all = find(ClusterServiceVersion, { namespace: "*" });
  const groups = find(OperatorGroup, { namespace: "*" });
  const global = groups.filter(({ status }) => status?.namespaces?.length === 1 && status.namespaces[0] === "");
  const homes = new Set(global.map(({ metadata }) => metadata.namespace));
  return all
    .filter((csv) => !isCopied(csv) && homes.has(csv.metadata.namespace))
    .every(({ metadata }) => {
      const copies = all.filter(
        (each) =>
          each.metadata.name === metadata.name && each.metadata.labels?.["olm.copiedFrom"] === metadata.namespace,
      );
      return copies.length === wanted;
    });
}

function conditionFor(isEnabled: boolean, settled: boolean): Parameters<typeof setCondition>[1] {
  const type = "DisabledCopiedCSVs";
  if (isEnabled) {
    const message = settled
      ? "Copied CSVs are enabled and present across the cluster"
      : "Copied CSVs are enabled and at least one copied CSVs is missing";
    return { type, status: "False", reason: "CopiedCSVsEnabled", message };
  }
  const message = settled
    ? "Copied CSVs are disabled and no unexpected copied CSVs were found for operators installed in AllNamespace mode"
    : "Copied CSVs are disabled and at least one unexpected copied CSV was found for an operator installed in AllNamespace mode";
  return { type, status: settled ? "True" : "False", reason: "CopiedCSVsDisabled", message };
}
