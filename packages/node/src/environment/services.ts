/** The environment variables that describe services to a container. Pure. */
import type { Service } from "@capstan/kinds/v1";

/** The variables of services: NAME_SERVICE_HOST, NAME_SERVICE_PORT and those of Docker links. */
export function serviceVariables(services: readonly Service[]): ReadonlyMap<string, string> {
  const variables = new Map<string, string>();
  for (const service of services) {
    const address = service.spec?.clusterIP;
    if (address === undefined || address === "" || address === "None") continue;
    addVariables(variables, service, address);
  }
  return variables;
}

function addVariables(variables: Map<string, string>, { metadata, spec }: Service, address: string): void {
  const prefix = metadata.name.toUpperCase().replaceAll("-", "_");
  const ports = spec?.ports ?? [];
  const host = address.includes(":") ? `[${address}]` : address;
  variables.set(`${prefix}_SERVICE_HOST`, address);
  for (const [index, { name, port, protocol = "TCP" }] of ports.entries()) {
    const scheme = protocol.toLowerCase();
    const url = `${scheme}://${host}:${port}`;
    const link = `${prefix}_PORT_${port}_${protocol}`;
    if (index === 0) variables.set(`${prefix}_SERVICE_PORT`, String(port)).set(`${prefix}_PORT`, url);
    if (name !== undefined && name !== "")
      variables.set(`${prefix}_SERVICE_PORT_${name.toUpperCase().replaceAll("-", "_")}`, String(port));
    variables
      .set(link, url)
      .set(`${link}_PROTO`, scheme)
      .set(`${link}_PORT`, String(port))
      .set(`${link}_ADDR`, address);
  }
}
