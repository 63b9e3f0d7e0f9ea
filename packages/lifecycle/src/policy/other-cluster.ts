/** Asks another cluster how far the Subscription of the same name is there. */
import { isApiError } from "@capstan/client";
import { Secret } from "@capstan/kinds/v1";
import { ClusterServiceVersion } from "../kinds/csv.ts";
import { Subscription } from "../kinds/subscription.ts";
import type { Sync } from "../manager/reader.ts";
import type { ManagerSetting, OtherClusterConnection } from "../manager/setting.ts";
import type { OtherCluster } from "./decide.ts";

/** How to ask. */
export interface Asking {
  /** The Secret with the kubeconfig. */
  readonly secret: string;
  readonly setting: ManagerSetting;
}

/** What the Subscription has reached there. */
export async function askOther(
  { object, get }: Sync<Subscription>,
  { secret, setting }: Asking,
): Promise<OtherCluster> {
  const { namespace = "", name } = object.metadata;
  const { data = {} } = get(Secret, { namespace, name: secret }) ?? {};
  const encoded = data["kubeconfig"] ?? data["value"];
  if (encoded === undefined) return waiting(`the Secret ${secret} does not exist or has no key kubeconfig`);
  if (setting.connect === undefined) return waiting("this manager cannot connect to other clusters");
  try {
    await using connected = await setting.connect(Buffer.from(encoded, "base64").toString("utf8"));
    return await reached(connected, { namespace, name, now: setting.clock.wall() });
  } catch (error) {
    // Whatever keeps it from answering: the upgrade waits, and the condition says why.
    return waiting(reasonOf(error));
  }
}

/**
 * The condition can be read by the author of the Secret, who chooses the address: what a server says that is no API server, but one that
 * only the manager reaches, is not repeated.
 */
export function reasonOf(error: unknown): string {
  const isOther = isApiError(error)
    ? error.statusObject === undefined && (error.status !== 0 || error.code === "BadAnswer")
    : error instanceof SyntaxError;
  if (isOther) return "its server does not answer as a Kubernetes API server: check the address in its kubeconfig";
  return error instanceof Error ? error.message : String(error);
}

function waiting(message: string): OtherCluster {
  return { type: "waiting", message };
}

interface Question {
  readonly namespace: string;
  readonly name: string;
  readonly now: number;
}

async function reached({ cluster }: OtherClusterConnection, { namespace, name, now }: Question): Promise<OtherCluster> {
  const installed = (await cluster.get(Subscription, { namespace, name }))?.status?.installedCSV ?? "";
  if (installed === "") return waiting(`it has no installed Subscription ${namespace}/${name}`);
  const csv = await cluster.get(ClusterServiceVersion, { namespace, name: installed });
  const { phase = "", lastTransitionTime = "" } = csv?.status ?? {};
  if (phase !== "Succeeded") return waiting(`${installed} is ${phase === "" ? "not there yet" : phase}`);
  const since = Date.parse(lastTransitionTime);
  const version = csv?.spec.version ?? "";
  return { type: "succeeded", name: installed, version, since: Number.isNaN(since) ? now : since };
}
