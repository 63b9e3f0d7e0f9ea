/** What a program's webhooks would be registered as, asked of the runtime, which registers them where no bundle does. */
import type { Registrar } from "@capstan/scaffold";

/** Loads what knows. */
export async function openRegistrar(): Promise<Registrar> {
  const { conversionOf, registrationsOf } = await import("@capstan/runtime/webhook");
  return (resource, { namespace, service, ...manners }) => {
    // Nobody is named whom the API server shall trust: OLM fills in its own authority.
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
