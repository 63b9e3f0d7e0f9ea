/** Devices and claims. */
import { defineTopic, get } from "../../case.ts";
import { creates, life, updates } from "./variants.ts";

const group = "/apis/resource.k8s.io/v1";
const exactly = { deviceClassName: "c" };
const requests = [{ name: "r", exactly }];
const claim = {
  path: `${group}/namespaces/{ns}/resourceclaims`,
  base: { metadata: { name: "a" }, spec: { devices: { requests } } },
};
const template = {
  path: `${group}/namespaces/{ns}/resourceclaimtemplates`,
  base: { metadata: { name: "a" }, spec: { spec: { devices: { requests } } } },
};
const deviceClass = { path: `${group}/deviceclasses`, base: { metadata: { name: "{ns}-a" }, spec: {} } };
const slice = {
  path: `${group}/resourceslices`,
  base: {
    metadata: { name: "{ns}-a" },
    spec: {
      driver: "d.example.com",
      nodeName: "n",
      pool: { name: "p", generation: 1, resourceSliceCount: 1 },
      devices: [{ name: "x" }],
    },
  },
};
const asked = (value: object): { [path: string]: unknown } => ({ "spec/devices/requests": [value] });

export const resource = defineTopic("kinds-resource", {
  ...life("ResourceClaim", claim),
  ...creates("ResourceClaim", claim, {
    "needs no requests": { spec: undefined },
    "takes all": asked({ name: "r", exactly: { ...exactly, allocationMode: "All" } }),
    "takes alternatives": asked({ name: "r", firstAvailable: [{ name: "s", deviceClassName: "c" }] }),
    "refuses a name": asked({ name: "A_", exactly }),
    "refuses neither": asked({ name: "r" }),
    "refuses a class": asked({ name: "r", exactly: { deviceClassName: "A_" } }),
    "refuses no class": asked({ name: "r", exactly: {} }),
    "refuses a count": asked({ name: "r", exactly: { ...exactly, count: -1 } }),
    "refuses a count of all": asked({ name: "r", exactly: { ...exactly, allocationMode: "All", count: 2 } }),
    "refuses a mode": asked({ name: "r", exactly: { ...exactly, allocationMode: "Foo" } }),
    "drops a status": { status: { reservedFor: [] } },
  }),
  ...updates("ResourceClaim", claim, { "takes labels": { "metadata/labels": { a: "b" } } }),
  ...life("ResourceClaimTemplate", template),
  ...life("DeviceClass", deviceClass),
  ...life("ResourceSlice", slice),
  ...updates("DeviceClass", deviceClass, {
    "counts a generation": { "spec/extendedResourceName": "example.com/x" },
  }),
  "ResourceSlice: is selected by its node": [get(`${slice.path}?fieldSelector=spec.nodeName%3D{ns},spec.driver%3Dx`)],
});
