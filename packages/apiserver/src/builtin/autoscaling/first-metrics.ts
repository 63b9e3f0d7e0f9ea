/** Metrics in the form that the annotations of autoscaling/v1 use: flat, without a target type. */
import type { MetricSpec, MetricStatus, MetricTarget } from "@capstan/kinds/autoscaling/v2";
import type { Draft } from "../draft.ts";

type Fields = { readonly [name: string]: unknown };

/** Drops undefined fields and keeps the order. */
function present(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

interface Reference {
  readonly kind: string;
  readonly name: string;
  readonly apiVersion?: string;
}

function reference({ kind, name, apiVersion }: Reference): Fields {
  return present({ kind, name, apiVersion });
}

/** Converts a metric spec to the flat form. */
export function toFirstMetric({ type, object, pods, resource, containerResource, external }: MetricSpec): Fields {
  return present({
    type,
    object: object && {
      target: reference(object.describedObject),
      metricName: object.metric.name,
      targetValue: object.target.value ?? "0",
      ...present({ selector: object.metric.selector, averageValue: object.target.averageValue }),
    },
    pods: pods && {
      metricName: pods.metric.name,
      targetAverageValue: pods.target.averageValue ?? "0",
      ...present({ selector: pods.metric.selector }),
    },
    resource: resource && { name: resource.name, ...averages(resource.target) },
    containerResource: containerResource && {
      name: containerResource.name,
      ...averages(containerResource.target),
      container: containerResource.container,
    },
    external:
      external &&
      present({
        metricName: external.metric.name,
        metricSelector: external.metric.selector,
        targetValue: external.target.value,
        targetAverageValue: external.target.averageValue,
      }),
  });
}

function averages({ averageUtilization, averageValue }: MetricTarget): Fields {
  return present({ targetAverageUtilization: averageUtilization, targetAverageValue: averageValue });
}

/** Converts a metric status to the flat form. */
export function toFirstStatus({ type, object, pods, resource, containerResource, external }: MetricStatus): Fields {
  return present({
    type,
    object: object && {
      target: reference(object.describedObject),
      metricName: object.metric.name,
      currentValue: object.current.value ?? "0",
      ...present({ selector: object.metric.selector, averageValue: object.current.averageValue }),
    },
    pods: pods && {
      metricName: pods.metric.name,
      currentAverageValue: pods.current.averageValue ?? "0",
      ...present({ selector: pods.metric.selector }),
    },
    resource: resource && {
      name: resource.name,
      ...present({ currentAverageUtilization: resource.current.averageUtilization }),
      currentAverageValue: resource.current.averageValue ?? "0",
    },
    containerResource: containerResource && {
      name: containerResource.name,
      ...present({ currentAverageUtilization: containerResource.current.averageUtilization }),
      currentAverageValue: containerResource.current.averageValue ?? "0",
      container: containerResource.container,
    },
    external: external && {
      metricName: external.metric.name,
      ...present({ metricSelector: external.metric.selector }),
      currentValue: external.current.value ?? "0",
      ...present({ currentAverageValue: external.current.averageValue }),
    },
  });
}

type Old = { readonly [name: string]: Fields | undefined };

/** Converts a flat metric spec to autoscaling/v2. */
export function fromFirstMetric(metric: unknown): Draft<MetricSpec> {
  const { object, pods, resource, containerResource, external } = metric as Old;
  return present({
    type: (metric as { type?: string }).type ?? "",
    object: object && {
      describedObject: object["target"],
      metric: identifier(object, "selector"),
      target: objectTarget(object),
    },
    pods: pods && {
      metric: identifier(pods, "selector"),
      target: { type: "AverageValue", averageValue: pods["targetAverageValue"] ?? "0" },
    },
    resource: resource && { name: resource["name"], target: averageTarget(resource) },
    containerResource: containerResource && {
      name: containerResource["name"],
      container: containerResource["container"],
      target: averageTarget(containerResource),
    },
    external: external && {
      metric: identifier(external, "metricSelector"),
      target: present({
        type: external["targetValue"] === undefined ? "AverageValue" : "Value",
        value: external["targetValue"],
        averageValue: external["targetAverageValue"],
      }),
    },
  }) as unknown as Draft<MetricSpec>;
}

function identifier(source: Fields, selector: string): Fields {
  return present({ name: source["metricName"] ?? "", selector: source[selector] });
}

function objectTarget({ averageValue, targetValue = "0" }: Fields): Fields {
  if (averageValue === undefined) return { type: "Value", value: targetValue };
  return present({ type: "AverageValue", value: targetValue === "0" ? undefined : targetValue, averageValue });
}

function averageTarget({ targetAverageUtilization, targetAverageValue }: Fields): Fields {
  return present({
    type: targetAverageUtilization === undefined ? "AverageValue" : "Utilization",
    averageValue: targetAverageValue,
    averageUtilization: targetAverageUtilization,
  });
}

/** Converts a flat metric status to autoscaling/v2. */
export function fromFirstStatus(status: unknown): Draft<MetricStatus> {
  const { object, pods, resource, containerResource, external } = status as Old;
  return present({
    type: (status as { type?: string }).type ?? "",
    object: object && {
      describedObject: object["target"],
      metric: identifier(object, "selector"),
      current: present({ value: object["currentValue"] ?? "0", averageValue: object["averageValue"] }),
    },
    pods: pods && {
      metric: identifier(pods, "selector"),
      current: { averageValue: pods["currentAverageValue"] ?? "0" },
    },
    resource: resource && { name: resource["name"], current: averageCurrent(resource) },
    containerResource: containerResource && {
      name: containerResource["name"],
      container: containerResource["container"],
      current: averageCurrent(containerResource),
    },
    external: external && {
      metric: identifier(external, "metricSelector"),
      current: present({ value: external["currentValue"] ?? "0", averageValue: external["currentAverageValue"] }),
    },
  }) as unknown as Draft<MetricStatus>;
}

function averageCurrent({ currentAverageUtilization, currentAverageValue = "0" }: Fields): Fields {
  return present({ averageValue: currentAverageValue, averageUtilization: currentAverageUtilization });
}
