/** The webhooks of an operator in a test world: they are called as functions, without a socket. */
import type { Api } from "../api.ts";
import type { Clock } from "../clock.ts";
import type { Log } from "../log.ts";
import type { OperatorDefinition } from "../manager/operator.ts";
import { Registry } from "../metrics/registry.ts";
import { resourcesAmong } from "../resource.ts";
import type { WebhookHandler } from "../webhook/handler.ts";
import { needsWebhooks } from "../webhook/paths.ts";
import { openWebhooks } from "../webhook/webhooks.ts";
import type { OpenEndpoint, Webhooks } from "../webhook/webhooks.ts";

/** The URL of the operator's webhooks for a test server. */
const WEBHOOKS = "https://webhooks.test";

/** The surroundings of the webhooks. */
export interface InProcessPlace {
  readonly api: Api;
  readonly clock: Clock;
  readonly log: Log;
  /** Connects the server with the webhooks; undefined: no webhook is called. */
  readonly serve: ((handler: WebhookHandler) => void) | undefined;
}

/** Opens the webhooks that an operator needs, if it needs any and the server calls them. */
export async function openInProcess(
  { name, controllers, webhooks }: OperatorDefinition,
  { serve, ...place }: InProcessPlace,
): Promise<Webhooks | undefined> {
  const resources = resourcesAmong(controllers.map(({ kind }) => kind));
  if (serve === undefined || !needsWebhooks(resources)) return undefined;
  const settings = { name, namespace: "kube-system", registry: new Registry(), endpoint: inProcessEndpoint(serve) };
  return await openWebhooks({ ...webhooks, ...place, ...settings, resources });
}

/** An endpoint without a socket: certificates are created and registered as usual, but not verified. */
function inProcessEndpoint(serve: (handler: WebhookHandler) => void): OpenEndpoint {
  return async (handler) => {
    serve(handler);
    return { reach: { by: "url", url: WEBHOOKS }, use: () => undefined, [Symbol.asyncDispose]: async () => undefined };
  };
}
