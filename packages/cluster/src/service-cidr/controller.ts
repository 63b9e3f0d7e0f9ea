/** Sets the Ready condition of ServiceCIDRs, and protects those whose addresses are in use. */
import { isApiError } from "@capstan/client";
import { IPAddress, ServiceCIDR } from "@capstan/kinds/networking.k8s.io/v1";
import { formatTime } from "@capstan/model";
import { runInformer } from "../informer/informer.ts";
import { WorkQueue } from "../informer/work-queue.ts";
import { FIELD_MANAGER } from "../controller/context.ts";
import type { ControllerContext } from "../controller/context.ts";
import { writeStatus } from "../controller/write-status.ts";
import { isWithin } from "./ranges.ts";

const FINALIZER = "networking.k8s.io/service-cidr-finalizer";
const RETRY_DELAY =
  "There are still IPAddresses referencing the ServiceCIDR, please remove them or create a new ServiceCIDR";

/** Starts the ServiceCIDR controller. It has its own informer because its work begins with the deletion. */
export function startServiceCidrs(context: ControllerContext, signal: AbortSignal): void {
  const { api, clock, log } = context;
  const ranges = new Map<string, ServiceCIDR>();
  const addresses = new Set<string>();
  const reconcile = async (name: string): Promise<undefined> => {
    const range = ranges.get(name);
    if (range === undefined) return;
    const others = [...ranges.values()].filter((one) => one !== range && !isBeingDeleted(one));
    const elsewhere = others.flatMap(({ spec }) => spec?.cidrs ?? []);
    const own = range.spec?.cidrs ?? [];
    const isNeeded = [...addresses].some((one) => isWithin(one, own) && !isWithin(one, elsewhere));
    await syncRange(context, range, isNeeded).catch(ignoreNotFound);
  };
  const queue = new WorkQueue({ name: "service ranges", clock, log, reconcile });
  const requeueDeleted = (): void => {
    for (const [name, range] of ranges) if (isBeingDeleted(range)) queue.add(name);
  };
  const rangeListener = {
    put(range: ServiceCIDR): void {
      ranges.set(range.metadata.name, range);
      queue.add(range.metadata.name);
    },
    removed: ({ metadata }: ServiceCIDR) => void ranges.delete(metadata.name),
  };
  const addressListener = {
    put: ({ metadata }: IPAddress) => void addresses.add(metadata.name),
    removed({ metadata }: IPAddress): void {
      addresses.delete(metadata.name);
      requeueDeleted();
    },
  };
  void runInformer<IPAddress>({ api, kind: IPAddress, clock, signal, listener: addressListener });
  void runInformer<ServiceCIDR>({ api, kind: ServiceCIDR, clock, signal, listener: rangeListener });
  signal.addEventListener("abort", () => queue.stop(), { once: true });
}

async function syncRange(context: ControllerContext, range: ServiceCIDR, isNeeded: boolean): Promise<void> {
  const { client } = context;
  const { name, finalizers = [] } = range.metadata;
  const others = finalizers.filter((one) => one !== FINALIZER);
  const isHeld = others.length < finalizers.length;
  const addFinalizer = async (wanted: readonly string[]): Promise<void> =>
    void (await client.patch(
      ServiceCIDR,
      { name },
      { merge: { metadata: { finalizers: wanted } } },
      { fieldManager: FIELD_MANAGER },
    ));
  if (!isBeingDeleted(range)) {
    if (!isHeld) return addFinalizer([...others, FINALIZER]);
    return writeReadyCondition(context, range, {
      status: "True",
      reason: "",
      message: "Kubernetes Service CIDR is ready",
    });
  }
  if (!isHeld) return;
  if (isNeeded)
    return writeReadyCondition(context, range, { status: "False", reason: "Terminating", message: RETRY_DELAY });
  return addFinalizer(others);
}

interface Readiness {
  readonly status: "True" | "False";
  readonly reason: string;
  readonly message: string;
}

async function writeReadyCondition(
  { client, clock }: ControllerContext,
  range: ServiceCIDR,
  ready: Readiness,
): Promise<void> {
  const old = range.status?.conditions?.find(({ type }) => type === "Ready");
  if (old?.status === ready.status && old.reason === ready.reason) return;
  const condition = { type: "Ready", ...ready, lastTransitionTime: formatTime(clock.wall()) };
  await writeStatus(client, ServiceCIDR, { object: range, status: { conditions: [condition] } });
}

function isBeingDeleted({ metadata }: ServiceCIDR): boolean {
  return metadata.deletionTimestamp !== undefined;
}

/** A watch event follows for an object that is gone or changed. */
function ignoreNotFound(error: unknown): undefined {
  if (!isApiError(error, "NotFound", "Conflict")) throw error;
}
