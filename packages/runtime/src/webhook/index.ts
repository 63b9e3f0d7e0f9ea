/** The webhooks of an operator: admission and conversion for its resources. */
export { openWebhooks } from "./webhooks.ts";
export type { OpenEndpoint, Endpoint, WebhookOptions, Webhooks } from "./webhooks.ts";
export { httpsEndpoint } from "./https.ts";
export { webhookHandler } from "./handler.ts";
export { needsWebhooks, webhookPaths } from "./paths.ts";
export type { ChosenPaths } from "./paths.ts";
export type { HandlerOptions, WebhookHandler } from "./handler.ts";
export { conversionOf, registrationsOf, servingNames } from "./registration.ts";
export type { Reach, Registration, RegistrationOptions } from "./registration.ts";
export { isResource, resourcesAmong } from "../resource.ts";
