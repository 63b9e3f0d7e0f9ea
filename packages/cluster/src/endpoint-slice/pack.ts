/** Distributes endpoints over slices with as few writes as possible: endpoints keep their slice. Pure. */
import type { Endpoint, EndpointPort, EndpointSlice } from "@capstan/kinds/discovery.k8s.io/v1";
import { isDeepEqual } from "@capstan/model";
import { groupId } from "./endpoints.ts";
import type { AddressType, Group } from "./endpoints.ts";

/** The maximum number of endpoints in a slice. */
const CAPACITY = 100;

/** The desired content of a slice. */
export interface Content {
  readonly addressType: AddressType;
  readonly ports: readonly EndpointPort[];
  readonly endpoints: readonly Endpoint[];
}

/** The writes to make. */
export interface Changes {
  readonly create: readonly Content[];
  readonly update: readonly { readonly slice: EndpointSlice; readonly endpoints: readonly Endpoint[] }[];
  readonly remove: readonly EndpointSlice[];
}

/** Compares the desired endpoints with the existing slices. A family without endpoints keeps one empty slice. */
export function pack(
  groups: readonly Group[],
  families: readonly AddressType[],
  existing: readonly EndpointSlice[],
): Changes {
  const create: Content[] = [];
  const update: { slice: EndpointSlice; endpoints: readonly Endpoint[] }[] = [];
  const used = new Set<EndpointSlice>();
  const all = [...groups, ...placeholders(groups, families)];
  for (const group of all) {
    const id = groupId(group.addressType, group.ports);
    const slices = existing.filter((slice) => groupId(slice.addressType, slice.ports ?? []) === id);
    const changes = packGroup(group, slices);
    for (const slice of changes.kept) used.add(slice);
    update.push(...changes.update);
    create.push(...changes.create);
  }
  return { create, update, remove: existing.filter((slice) => !used.has(slice)) };
}

function placeholders(groups: readonly Group[], families: readonly AddressType[]): readonly Group[] {
  return families
    .filter((family) => !groups.some(({ addressType }) => addressType === family))
    .map((addressType) => ({ addressType, ports: [], endpoints: [] }));
}

interface GroupChanges {
  readonly kept: readonly EndpointSlice[];
  readonly update: readonly { readonly slice: EndpointSlice; readonly endpoints: readonly Endpoint[] }[];
  readonly create: readonly Content[];
}

function packGroup({ addressType, ports, endpoints }: Group, slices: readonly EndpointSlice[]): GroupChanges {
  const wanted = new Map(endpoints.map((endpoint) => [idOf(endpoint), endpoint]));
  const contents = slices.map((slice) => ({ slice, endpoints: take(wanted, slice.endpoints ?? []) }));
  for (const content of contents) {
    while (wanted.size > 0 && content.endpoints.length < CAPACITY) content.endpoints.push(...takeFirst(wanted));
  }
  const create: Content[] = [];
  while (wanted.size > 0) {
    const part: Endpoint[] = [];
    while (wanted.size > 0 && part.length < CAPACITY) part.push(...takeFirst(wanted));
    create.push({ addressType, ports, endpoints: part });
  }
  const isPlaceholder = endpoints.length === 0;
  const kept = contents.filter((content, index) => content.endpoints.length > 0 || (isPlaceholder && index === 0));
  if (isPlaceholder && kept.length === 0) create.push({ addressType, ports, endpoints: [] });
  return {
    kept: kept.map(({ slice }) => slice),
    update: kept.filter((content) => !isDeepEqual(content.endpoints, content.slice.endpoints ?? [])),
    create,
  };
}

/** Takes the endpoints that a slice already holds, in the slice's order. */
function take(wanted: Map<string, Endpoint>, current: readonly Endpoint[]): Endpoint[] {
  return current.flatMap((endpoint) => {
    const id = idOf(endpoint);
    const now = wanted.get(id);
    wanted.delete(id);
    return now === undefined ? [] : [now];
  });
}

function takeFirst(wanted: Map<string, Endpoint>): readonly Endpoint[] {
  for (const [id, endpoint] of wanted) {
    wanted.delete(id);
    return [endpoint];
  }
  return [];
}

function idOf({ targetRef, addresses }: Endpoint): string {
  return `${targetRef?.uid ?? ""} ${addresses.join()}`;
}
