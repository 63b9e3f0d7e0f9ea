/** Resolves a Service without knowledge of nodes: to its cluster IP. */
import type { Service } from "@capstan/kinds/v1";
import type { Lookup } from "../builtin/context.ts";
import { OutgoingError, type ServiceResolver } from "./outgoing.ts";

export function clusterAddressResolver(lookup: Lookup): ServiceResolver {
  return (namespace, name, port) => {
    const service = lookup.get("services", name, namespace) as Service | undefined;
    if (service === undefined) throw new OutgoingError("Unresolved", `service "${name}" not found`);
    const { spec } = service;
    if (spec?.type === "ExternalName") return { host: spec.externalName ?? "", port };
    if (!(spec?.ports ?? []).some((one) => one.port === port)) {
      throw new OutgoingError("Unresolved", `no service port ${port} found for service "${name}"`);
    }
    const host = spec?.clusterIP ?? "";
    if (host === "" || host === "None")
      throw new OutgoingError("Unresolved", `service "${name}" has no cluster address`);
    return { host, port };
  };
}
