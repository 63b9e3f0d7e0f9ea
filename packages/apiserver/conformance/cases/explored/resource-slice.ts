/** A ResourceSlice with devices of a driver. */
import { post, type Step } from "../../case.ts";

/** Creates a slice with these devices. */
export const slice = (...devices: readonly object[]): Step =>
  post("/apis/resource.k8s.io/v1/resourceslices", {
    metadata: { name: "{ns}" },
    spec: {
      driver: "d.example.com",
      nodeName: "n",
      pool: { name: "p", generation: 1, resourceSliceCount: 1 },
      devices,
    },
  });
