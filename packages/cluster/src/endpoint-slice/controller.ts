/** Writes down which pods answer for a Service, in slices. */
import { isApiError } from "@capstan/client";
import { EndpointSlice } from "@capstan/kinds/discovery.k8s.io/v1";
import { Node, Pod, Service } from "@capstan/kinds/v1";
import { isDeepEqual } from "@capstan/model";
import { anyChange, controller } from "@capstan/runtime";
import type { Controller } from "@capstan/runtime";
import { Ledger } from "../ledger/ledger.ts";
import { controllerReference } from "../ownership/owner.ts";
import { podIndexes } from "../pod/cache.ts";
import { MANAGER } from "../setting.ts";
import type { Setting } from "../setting.ts";
import { addressTypes, groupsOf, isHeadless } from "./endpoints.ts";
import { pack } from "./pack.ts";
import type { Changes, Content } from "./pack.ts";

const SERVICE_NAME = "kubernetes.io/service-name";
const MANAGED_BY = "endpointslice.kubernetes.io/managed-by";
const MANAGER_NAME = "endpointslice-controller.k8s.io";
const HEADLESS = "service.kubernetes.io/headless";

/** The controller of EndpointSlices. */
export function endpointSliceController(setting: Setting): Controller {
  const ledger = new Ledger(EndpointSlice, setting.clock);
  return controller(
    Service,
    {
      name: "endpointslice",
      reads: [Pod, Node, EndpointSlice],
      on: anyChange,
      watches: [ledger.watch],
      cache: { Pod: podIndexes },
    },
    async ({ object: service, find, get, signal }) => {
      const { name, namespace = "" } = service.metadata;
      const { selector, type } = service.spec ?? {};
      if (type === "ExternalName" || selector === undefined || Object.keys(selector).length === 0) return;
      const labels = { [SERVICE_NAME]: name, [MANAGED_BY]: MANAGER_NAME };
      const slices = ledger
        .current(find(EndpointSlice, { labels }), ({ metadata }) => {
          return metadata.namespace === namespace && metadata.labels?.[SERVICE_NAME] === name;
        })
        .filter(({ metadata }) => metadata.deletionTimestamp === undefined);
      const pods = find(Pod, { labels: selector });
      const groups = groupsOf(service, pods, (node) => (node === "" ? undefined : get(Node, node)));
      const changes = pack(groups, addressTypes(service), slices);
      await write({ ...setting, ledger, service, signal }, changes, slices);
    },
  );
}

interface Turn extends Setting {
  readonly ledger: Ledger<typeof EndpointSlice>;
  readonly service: Service;
  readonly signal: AbortSignal;
}

async function write(turn: Turn, changes: Changes, slices: readonly EndpointSlice[]): Promise<void> {
  const { service } = turn;
  const labels = labelsOf(service);
  const updates = new Map(changes.update.map(({ slice, endpoints }) => [slice, endpoints]));
  const going = new Set(changes.remove);
  for (const content of changes.create) await create(turn, content);
  for (const slice of slices) {
    const isSame = !updates.has(slice) && isDeepEqual(slice.metadata.labels, labels);
    if (!going.has(slice) && !isSame) await update(turn, slice, { endpoints: updates.get(slice), labels });
  }
  for (const slice of changes.remove) await remove(turn, slice);
}

/** The labels of the service, and those that say whose the slice is. */
function labelsOf(service: Service): { readonly [label: string]: string } {
  const { [HEADLESS]: _headless, ...labels } = service.metadata.labels ?? {};
  return {
    ...labels,
    ...(isHeadless(service) && { [HEADLESS]: "" }),
    [SERVICE_NAME]: service.metadata.name,
    [MANAGED_BY]: MANAGER_NAME,
  };
}

async function create({ client, ledger, service, signal }: Turn, content: Content): Promise<void> {
  const { name, namespace = "" } = service.metadata;
  const metadata = {
    generateName: `${name}-`,
    namespace,
    labels: labelsOf(service),
    ownerReferences: [controllerReference(Service, service)],
  };
  const slice = { metadata, ...content };
  ledger.wrote(await client.create(EndpointSlice, slice, { fieldManager: MANAGER, signal }));
}

interface Update {
  readonly endpoints: EndpointSlice["endpoints"] | undefined;
  readonly labels: { readonly [label: string]: string };
}

async function update({ client, ledger, signal }: Turn, slice: EndpointSlice, change: Update): Promise<void> {
  const { managedFields: _managedFields, ...kept } = slice.metadata;
  const metadata = { ...kept, labels: change.labels };
  const updated = { ...slice, metadata, endpoints: change.endpoints ?? slice.endpoints ?? [] };
  ledger.wrote(await client.update(EndpointSlice, updated, { fieldManager: MANAGER, signal }));
}

async function remove({ client, ledger, signal }: Turn, slice: EndpointSlice): Promise<void> {
  const { namespace = "", name, uid } = slice.metadata;
  try {
    ledger.deleted(slice, await client.delete(EndpointSlice, { namespace, name, preconditions: { uid }, signal }));
  } catch (error) {
    if (!isApiError(error, "NotFound", "Conflict")) throw error;
  }
}
