/** An operator's webhooks from certificate to registration: started, kept up to date, closed. */
import { parseCertificate } from "@capstan/pki";
import type { KeyedCertificate } from "@capstan/pki";
import type { CustomResourceDefinition as Crd, Resource } from "@capstan/schema";
import type { Api } from "../api.ts";
import type { Clock, Timer } from "../clock.ts";
import { messageOf } from "../failure.ts";
import type { Log } from "../log.ts";
import type { Registry } from "../metrics/registry.ts";
import { announce, managerOf, trustedNow } from "./announce.ts";
import { bundleOf } from "./certificates.ts";
import type { Lifetimes, Trust } from "./certificates.ts";
import { webhookHandler } from "./handler.ts";
import type { WebhookHandler } from "./handler.ts";
import { webhookMeter } from "./meter.ts";
import type { WebhookMeter } from "./meter.ts";
import { checkPaths, webhookPaths } from "./paths.ts";
import { conversionOf, conversionRegistrationsOf, registrationsOf, servingNames } from "./registration.ts";
import type { Reach, Registration, RegistrationOptions } from "./registration.ts";
import { retireHooks } from "./retire.ts";
import { keepTrust } from "./secret.ts";

/** A running endpoint of the webhooks. */
export interface Endpoint extends AsyncDisposable {
  /** How the API server reaches it. */
  readonly reach: Reach;
  /** Serves this certificate from now on; open connections stay. */
  use(certificate: KeyedCertificate): void;
}

/** The webhooks of a program, whichever way their certificates are managed. */
export interface OperatorWebhooks extends AsyncDisposable {
  /** Adds settings of this run to a CRD. */
  completeCrd(crd: Crd, resource: Resource): Crd;
  /** Registers the webhooks, if this program manages the registrations. */
  register(): Promise<void>;
  /** Removes registrations for an endpoint that ends with the program. */
  leave(): Promise<void>;
}

/** Starts an endpoint for a handler. */
export type OpenEndpoint = (handler: WebhookHandler) => Promise<Endpoint>;

export interface WebhookOptions extends Pick<
  RegistrationOptions,
  "namespaces" | "failurePolicy" | "timeoutSeconds" | "paths"
> {
  readonly resources: readonly Resource[];
  readonly api: Api;
  readonly clock: Clock;
  readonly log: Log;
  readonly registry: Registry;
  readonly endpoint: OpenEndpoint;
  /** The operator's name, from which the names of its Secret and field manager are derived. */
  readonly name: string;
  /** The operator's version: configurations that a later one has applied are not changed. */
  readonly version?: string | undefined;
  /** The operator's own namespace, where the Secret is. */
  readonly namespace: string;
  readonly lifetimes?: Lifetimes;
}

/**
 * The interval at which certificates and registrations are checked. Much shorter than an overlap, so that every replica follows in time.
 */
const LOOK = 5 * 60_000;
const LOOK_AFTER_FAILURE = 30_000;

/** Starts the endpoint and creates or reads the certificates. Nothing is registered yet: the CRDs may still be missing. */
export async function openWebhooks(options: WebhookOptions): Promise<Webhooks> {
  const { resources, clock, log, registry, paths } = options;
  checkPaths(resources, paths ?? {});
  const meter = webhookMeter(registry, webhookPaths(resources, paths));
  const endpoint = await options.endpoint(webhookHandler({ resources, clock, log, meter, paths }));
  try {
    const trust = await keep(options, endpoint.reach, { trusted: await trustedAmong(options, endpoint.reach) });
    return new Webhooks(options, { endpoint, meter, trust });
  } catch (error) {
    await endpoint[Symbol.asyncDispose]();
    throw error;
  }
}

/** The state from before: that of this replica, or the CA bundle of the cluster when it starts. */
type Before = { readonly known: Trust } | { readonly trusted: string | undefined };

function keep(options: WebhookOptions, reach: Reach, before: Before): Promise<Trust> {
  const { api, clock, name, namespace, lifetimes } = options;
  const [known, trusted] = "known" in before ? [before.known] : [undefined, before.trusted];
  return keepTrust(
    { api, namespace, name: `${name}-webhook-certificates`, manager: managerOf(name) },
    { now: new Date(clock.wall()), names: servingNames(reach), trusted, ...(lifetimes ? { lifetimes } : {}) },
    known,
  );
}

/** The CA bundle of the first of our registrations in the cluster. */
async function trustedAmong({ api, resources, namespace }: WebhookOptions, reach: Reach): Promise<string | undefined> {
  const registration = { reach, bundle: "", namespace };
  for (const resource of resources) {
    for (const one of registeredOf(resource, registration)) {
      const trusted = await trustedNow(api, one);
      if (trusted !== undefined) return trusted;
    }
  }
  return undefined;
}

/** All registrations of a resource. */
function registeredOf(resource: Resource, options: RegistrationOptions): readonly Registration[] {
  return [...conversionRegistrationsOf(resource, options), ...registrationsOf(resource, options)];
}

interface Opened {
  readonly endpoint: Endpoint;
  readonly meter: WebhookMeter;
  readonly trust: Trust;
}

/** Running webhooks. */
export class Webhooks implements OperatorWebhooks {
  readonly #options: WebhookOptions;
  readonly #endpoint: Endpoint;
  readonly #meter: WebhookMeter;
  #trust: Trust;
  #timer: Timer | undefined;
  #isClosed = false;

  constructor(options: WebhookOptions, { endpoint, meter, trust }: Opened) {
    this.#options = options;
    this.#endpoint = endpoint;
    this.#meter = meter;
    this.#trust = trust;
    this.#serve(trust);
  }

  get reach(): Reach {
    return this.#endpoint.reach;
  }

  /** A CRD with its conversion, so that no object is ever stored without it. */
  completeCrd(crd: Crd, resource: Resource): Crd {
    const conversion = conversionOf(resource, this.#registration);
    return conversion === undefined ? crd : { ...crd, spec: { ...crd.spec, conversion } };
  }

  /** Registers the webhooks, and keeps them up to date. */
  async register(): Promise<void> {
    await this.#announce();
    this.#lookIn(LOOK);
  }

  /** Updates certificates and registrations. A new authority is registered before it is served, if possible. */
  async check(): Promise<void> {
    this.#trust = await keep(this.#options, this.#endpoint.reach, { known: this.#trust });
    try {
      await this.#announce();
    } finally {
      this.#serve(this.#trust);
    }
  }

  /** A program outside the cluster cannot be reached when it has ended: writes must not fail because of it. */
  async leave(): Promise<void> {
    if (this.reach.by === "url") await this.unregister();
  }

  /** Deletes the configurations. */
  async unregister(): Promise<void> {
    const { api, resources } = this.#options;
    for (const { kind, object } of resources.flatMap((one) => registrationsOf(one, this.#registration))) {
      await api.delete(kind, { namespace: "", name: object.metadata.name ?? "" }, {});
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    this.#timer?.cancel();
    await this.#endpoint[Symbol.asyncDispose]();
  }

  get #registration(): RegistrationOptions {
    const { namespace, namespaces, failurePolicy, timeoutSeconds, paths } = this.#options;
    const bundle = bundleOf(this.#trust);
    return { reach: this.#endpoint.reach, bundle, namespace, namespaces, failurePolicy, timeoutSeconds, paths };
  }

  #serve({ serving }: Trust): void {
    this.#endpoint.use(serving);
    this.#meter.certificateEnds(parseCertificate(serving.certificate).notAfter.getTime());
  }

  async #announce(): Promise<void> {
    const { api, resources, name } = this.#options;
    const manager = managerOf(name);
    // A developer runs an operator outside the cluster with its own rules, whatever its version.
    const version = this.reach.by === "url" ? undefined : this.#options.version;
    const registration = this.#registration;
    for (const resource of resources) {
      for (const one of registeredOf(resource, registration)) await announce({ api, manager, version }, one);
    }
    await retireHooks({ api, manager, version }, resources);
  }

  #lookIn(delay: number): void {
    if (this.#isClosed) return;
    this.#timer = this.#options.clock.later(delay, () => void this.#look());
  }

  async #look(): Promise<void> {
    try {
      await this.check();
      this.#lookIn(LOOK);
    } catch (error) {
      this.#options.log.warn(`could not look after the webhooks: ${messageOf(error)}`, { error });
      this.#lookIn(LOOK_AFTER_FAILURE);
    }
  }
}
