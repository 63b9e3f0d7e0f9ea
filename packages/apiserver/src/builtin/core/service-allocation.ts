/** Allocates cluster IPs and node ports of a service before validation; the allocation is final when the service is stored. */
import type { Service, ServiceSpec } from "@capstan/kinds/v1";
import { apiErrors, checkPathSegment, fieldErrors, type FieldError } from "@capstan/model";
import type { RuleContext, Writer } from "../context.ts";
import type { Draft } from "../draft.ts";
import { isEmpty } from "../meta/checks.ts";
import type { Allocation, StoredEvent } from "../rules.ts";
import { AddressPool, type PoolError } from "./address-pool.ts";
import { NodePortPool, NodePortError } from "./node-ports.ts";
import { fillFamilies, isUntouchedPreference } from "./service-families.ts";
import { isSameList, needsAddress, needsHealthCheck, needsNodePorts, specOf } from "./service-shape.ts";

type DraftSpec = NonNullable<Draft<Service>["spec"]>;

/** Allocates what the service needs and returns a function that releases it if the request fails. */
export function allocateService(
  draft: Draft<Service>,
  old: Service | undefined,
  context: RuleContext,
): Allocation | readonly FieldError[] {
  const spec = (draft.spec ??= {});
  const addresses = new AddressPool(context);
  const ports = new NodePortPool(context, old);
  if (old === undefined) normalizeAddresses(spec);
  else patchOldValues(spec, specOf(old));
  const errors = fillFamilies(spec, old === undefined ? undefined : specOf(old), addresses.families);
  if (errors.length > 0) return errors;
  const taking = { old, pool: addresses, owner: context.dryRun ? undefined : (draft.metadata.name ?? "") };
  const refused = takeAddresses(spec, taking) ?? takePorts(spec, old, ports);
  if (refused !== undefined) {
    addresses.release();
    ports.release();
    return [refused];
  }
  return {
    release() {
      addresses.release();
      ports.release();
    },
  };
}

/** If only clusterIP is set, it is also the first item of clusterIPs. */
function normalizeAddresses(spec: DraftSpec): void {
  const { clusterIP = "", clusterIPs = [] } = spec;
  if (clusterIP !== "" && clusterIPs.length === 0) spec.clusterIPs = [clusterIP];
}

/** Allocated values are kept if the client omits them. */
function patchOldValues(spec: DraftSpec, before: ServiceSpec): void {
  if (needsAddress(before) && needsAddress(spec)) patchAddresses(spec, before);
  if (needsNodePorts(before) && needsNodePorts(spec)) patchNodePorts(spec, before);
  const isChecked = needsHealthCheck(before) && needsHealthCheck(spec);
  if (isChecked && (spec.healthCheckNodePort ?? 0) === 0 && before.healthCheckNodePort !== undefined) {
    spec.healthCheckNodePort = before.healthCheckNodePort;
  }
  followFirstAddress(spec, before);
}

function patchAddresses(spec: DraftSpec, { clusterIP, clusterIPs }: ServiceSpec): void {
  if (isEmpty(spec.clusterIP) && clusterIP !== undefined) spec.clusterIP = clusterIP;
  if ((spec.clusterIPs ?? []).length === 0 && clusterIPs !== undefined) spec.clusterIPs = [...clusterIPs];
}

function patchNodePorts(spec: DraftSpec, before: ServiceSpec): void {
  const byName = new Map((before.ports ?? []).map(({ name = "", nodePort = 0 }) => [name, nodePort]));
  const known = new Set(byName.values());
  const used = new Set((spec.ports ?? []).map(({ nodePort = 0 }) => nodePort).filter((port) => known.has(port)));
  for (const port of spec.ports ?? []) {
    const old = byName.get(port.name ?? "") ?? 0;
    if ((port.nodePort ?? 0) === 0 && old !== 0 && !used.has(old)) port.nodePort = old;
  }
}

/** A client that only knows `clusterIP` changes both fields with it. */
function followFirstAddress(spec: DraftSpec, before: ServiceSpec): void {
  const [now, old] = [spec.clusterIP ?? "", before.clusterIP ?? ""];
  if (now === old || !isSameList(spec.clusterIPs, before.clusterIPs)) return;
  if (old !== "" && now === "") delete spec.clusterIPs;
  else spec.clusterIPs = [now];
}

interface Taking {
  readonly old: Service | undefined;
  readonly pool: AddressPool;
  /** The service that the addresses are allocated for; undefined in a dry run, which allocates none. */
  readonly owner: string | undefined;
}

function takeAddresses(spec: DraftSpec, { old, pool, owner }: Taking): FieldError | undefined {
  const kept = keptAddresses(spec, old);
  if (kept === "all") return undefined;
  const addresses = [...(spec.clusterIPs ?? [])];
  for (const [index, family] of (spec.ipFamilies ?? []).entries()) {
    if (index < kept) continue;
    const taken = pool.take(family, addresses[index] ?? "");
    if (typeof taken !== "string") return addressError(taken, spec);
    const why = owner === undefined ? undefined : ownerProblem(taken, owner);
    if (why !== undefined) return addressError({ ip: addresses[index] ?? "", why }, spec);
    addresses[index] = taken;
  }
  if (addresses.length > 0) spec.clusterIPs = addresses;
  const [first] = addresses;
  if (first !== undefined && kept === 0) spec.clusterIP = first;
  return undefined;
}

/** The IPAddress object refers to the service by name, so an invalid name fails here, before it is validated. */
function ownerProblem(ip: string, owner: string): string | undefined {
  const path = "spec.parentRef.name";
  const errors =
    owner === ""
      ? [fieldErrors.required(path)]
      : checkPathSegment(owner).map((why) => fieldErrors.invalid(path, owner, why));
  if (errors.length === 0) return undefined;
  return apiErrors.invalid({ group: "networking.k8s.io", kind: "IPAddress" }, ip, errors).message;
}

/** How many addresses of the service stay; the others must be allocated. */
function keptAddresses(spec: DraftSpec, old: Service | undefined): number | "all" {
  if (!needsAddress(spec) || spec.clusterIPs?.[0] === "None") return "all";
  if (old === undefined || !needsAddress(specOf(old))) return 0;
  const before = specOf(old);
  // A service that was created through its status never got an address, and an update does not allocate one.
  if ((before.clusterIPs ?? []).length === 0 && (spec.clusterIPs ?? []).length === 0) return "all";
  if (isUntouchedPreference(spec, before) || before.clusterIPs?.[0] === "None") return "all";
  return (before.ipFamilies ?? []).length;
}

function addressError({ ip, why }: PoolError, { clusterIPs }: DraftSpec): FieldError {
  const what = ip === "" ? "failed to allocate IP" : `failed to allocate IP ${ip}`;
  return fieldErrors.invalid("spec.clusterIPs", clusterIPs ?? [""], `${what}: ${why}`);
}

function takePorts(spec: DraftSpec, old: Service | undefined, pool: NodePortPool): FieldError | undefined {
  try {
    if (spec.type === "NodePort" || spec.type === "LoadBalancer") takeNodePorts(spec, old, pool);
    takeHealthCheckPort(spec, old, pool);
    return undefined;
  } catch (error) {
    if (error instanceof NodePortError) return fieldErrors.invalid(error.path, error.port, error.message);
    throw error;
  }
}

/** Ports with the same number share a node port, whatever their protocols. */
function takeNodePorts(spec: DraftSpec, old: Service | undefined, pool: NodePortPool): void {
  const isWanted = needsNodePorts(spec);
  const shared = new Map<number, number>();
  (spec.ports ?? []).forEach((port, index) => {
    const asked = port.nodePort ?? 0;
    if (asked === 0 && !isWanted) return;
    const path = `spec.ports[${index}].nodePort`;
    const twin = old === undefined ? shared.get(port.port) : undefined;
    if (asked === 0) {
      const requested = old === undefined ? (twin ?? requestedFor(port.port, spec)) : 0;
      if (requested === 0) port.nodePort = pool.takeNext();
      else if (twin === undefined) pool.take(requested, path);
      if (requested !== 0) port.nodePort = requested;
    } else if (asked !== twin) pool.take(asked, path);
    shared.set(port.port, shared.get(port.port) ?? port.nodePort ?? 0);
  });
}

function requestedFor(port: number, { ports = [] }: DraftSpec): number {
  return ports.find((one) => one.port === port && (one.nodePort ?? 0) !== 0)?.nodePort ?? 0;
}

function takeHealthCheckPort(spec: DraftSpec, old: Service | undefined, pool: NodePortPool): void {
  if (!needsHealthCheck(spec) || (old !== undefined && needsHealthCheck(specOf(old)))) return;
  const asked = spec.healthCheckNodePort ?? 0;
  if (asked === 0) spec.healthCheckNodePort = pool.takeNext();
  else pool.takeForHealthCheck(asked);
}

const addressResource = "ipaddresses.networking.k8s.io";

/** Releases the holds on ports and creates or deletes the IPAddress objects of the service. */
export function settleAllocation(event: StoredEvent<Service>, writer: Writer, context: RuleContext): void {
  const before = event.type === "created" ? [] : addressesOf(event.old);
  const after = event.type === "deleted" ? [] : addressesOf(event.object);
  const service = event.type === "deleted" ? event.old : event.object;
  NodePortPool.settle(context.lookup, event.type === "updated" ? [event.old, event.object] : [service]);
  for (const ip of after) if (!before.includes(ip)) AddressPool.settle(ip, service, { writer, context });
  for (const ip of before) {
    if (!after.includes(ip) && context.lookup.get(addressResource, ip) !== undefined)
      writer.delete(addressResource, ip);
  }
  if (event.type === "deleted") removeEndpoints(service, writer, context);
}

function addressesOf(service: Service): readonly string[] {
  return (specOf(service).clusterIPs ?? []).filter((ip) => ip !== "None" && ip !== "");
}

/** Deletes the Endpoints of a deleted service. */
function removeEndpoints({ metadata }: Service, writer: Writer, { lookup }: RuleContext): void {
  const { name, namespace = "" } = metadata;
  if (lookup.get("endpoints", name, namespace) !== undefined) writer.delete("endpoints", name, namespace);
}
