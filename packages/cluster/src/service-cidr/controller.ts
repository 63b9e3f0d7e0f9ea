/** Says of each range of service addresses that it can be used, and holds one that is to go while addresses of it are in use. */
import { isApiError } from "@capstan/client";
import { IPAddress, ServiceCIDR } from "@capstan/kinds/networking.k8s.io/v1";
import { formatTime } from "@capstan/model";
import { follow } from "../follow/follow.ts";
import { Worker } from "../follow/worker.ts";
import { MANAGER } from "../setting.ts";
import type { Setting } from "../setting.ts";
import { writeStatus } from "../status/status.ts";
import { isWithin } from "./ranges.ts";

const FINALIZER = "networking.k8s.io/service-cidr-finalizer";
const WAITING =
  "There are still IPAddresses referencing the ServiceCIDR, please remove them or create a new ServiceCIDR";

/** Starts the controller of ServiceCIDRs. It follows them by itself, because its work begins with their deletion. */
export function startServiceCidrs(setting: Setting, signal: AbortSignal): void {
  const { api, clock, log } = setting;
  const ranges = new Map<string, ServiceCIDR>();
  const addresses = new Set<string>();
  const work = async (name: string): Promise<undefined> => {
    const range = ranges.get(name);
    if (range === undefined) return;
    const others = [...ranges.values()].filter((one) => one !== range && !isLeaving(one));
    const elsewhere = others.flatMap(({ spec }) => spec?.cidrs ?? []);
    const own = range.spec?.cidrs ?? [];
    const isNeeded = [...addresses].some((one) => isWithin(one, own) && !isWithin(one, elsewhere));
    await settle(setting, range, isNeeded).catch(unlessGone);
  };
  const worker = new Worker({ name: "service ranges", clock, log, work });
  const lookAtLeaving = (): void => {
    for (const [name, range] of ranges) if (isLeaving(range)) worker.add(name);
  };
  const rangeListener = {
    put(range: ServiceCIDR): void {
      ranges.set(range.metadata.name, range);
      worker.add(range.metadata.name);
    },
    removed: ({ metadata }: ServiceCIDR) => void ranges.delete(metadata.name),
  };
  const addressListener = {
    put: ({ metadata }: IPAddress) => void addresses.add(metadata.name),
    removed({ metadata }: IPAddress): void {
      addresses.delete(metadata.name);
      lookAtLeaving();
    },
  };
  void follow<IPAddress>({ api, kind: IPAddress, clock, signal, listener: addressListener });
  void follow<ServiceCIDR>({ api, kind: ServiceCIDR, clock, signal, listener: rangeListener });
  signal.addEventListener("abort", () => worker.stop(), { once: true });
}

async function settle(setting: Setting, range: ServiceCIDR, isNeeded: boolean): Promise<void> {
  const { client } = setting;
  const { name, finalizers = [] } = range.metadata;
  const others = finalizers.filter((one) => one !== FINALIZER);
  const isHeld = others.length < finalizers.length;
  const hold = async (wanted: readonly string[]): Promise<void> =>
    void (await client.patch(
      ServiceCIDR,
      { name },
      { merge: { metadata: { finalizers: wanted } } },
      { fieldManager: MANAGER },
    ));
  if (!isLeaving(range)) {
    if (!isHeld) return hold([...others, FINALIZER]);
    return say(setting, range, { status: "True", reason: "", message: "Kubernetes Service CIDR is ready" });
  }
  if (!isHeld) return;
  if (isNeeded) return say(setting, range, { status: "False", reason: "Terminating", message: WAITING });
  return hold(others);
}

interface Readiness {
  readonly status: "True" | "False";
  readonly reason: string;
  readonly message: string;
}

async function say({ client, clock }: Setting, range: ServiceCIDR, ready: Readiness): Promise<void> {
  const old = range.status?.conditions?.find(({ type }) => type === "Ready");
  if (old?.status === ready.status && old.reason === ready.reason) return;
  const condition = { type: "Ready", ...ready, lastTransitionTime: formatTime(clock.wall()) };
  await writeStatus(client, ServiceCIDR, { object: range, status: { conditions: [condition] } });
}

function isLeaving({ metadata }: ServiceCIDR): boolean {
  return metadata.deletionTimestamp !== undefined;
}

/** What is gone, or was changed meanwhile, is told again. */
function unlessGone(error: unknown): undefined {
  if (!isApiError(error, "NotFound", "Conflict")) throw error;
}
