/** Our manager on an embedded cluster, for scenarios. */
import { startCluster } from "@capstan/cluster";
import { installBase, lifecycleManager } from "@capstan/lifecycle";
import { apiOf, silentLog, systemClock } from "@capstan/runtime";
import { settingOf } from "../world.ts";
import { type Place, placeOf } from "./driver.ts";

/** A cluster with a manager. */
export interface Managed extends AsyncDisposable {
  readonly place: Place;
}

/** Starts both. */
export async function startOurs(): Promise<Managed> {
  const embedded = await startCluster({ heartbeat: false });
  // The original writes all CRDs itself; ours does so if it is told to.
  const setting = { ...settingOf(embedded), scopedCrds: "manager" as const };
  await installBase({ cluster: setting.cluster, clock: systemClock, namespace: "olm" });
  const running = lifecycleManager(setting).start({ api: apiOf(embedded.client), log: silentLog, namespace: "olm" });
  return {
    place: placeOf(embedded.client),
    [Symbol.asyncDispose]: async () => {
      await running.stop(0);
      await embedded[Symbol.asyncDispose]();
    },
  };
}
