/** Computes the webhook registrations of a program with the runtime, which registers them itself when there is no bundle. */
import type { Registrar } from "@capstan/scaffold";

/** Loads the runtime's registration functions. */
export async function openRegistrar(): Promise<Registrar> {
  const { conversionOf, registrationsOf } = await import("@capstan/runtime/webhook");
  return (resource, { namespace, service, ...manners }) => {
    // There is no caBundle: OLM fills in its own certificate authority.
    const options = {
      ...manners,
      reach: { by: "service", namespace, name: service, port: 443 },
      bundle: "",
      namespace,
    } as const;
    const configurations = registrationsOf(resource, options).map(({ object }) => object);
    return { configurations, conversion: conversionOf(resource, options) };
  };
}
