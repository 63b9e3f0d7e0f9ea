/** Jobs and cron jobs: completion, failure, time. */
import { defineTopic, del, get, patch, post, put } from "../../case.ts";
import { changed, creates, life, table, updates } from "./variants.ts";

const template = { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "nginx:1" }] } };
const space = "/apis/batch/v1/namespaces/{ns}";
const job = { path: `${space}/jobs`, base: { metadata: { name: "a" }, spec: { template } } };
const cronJob = {
  path: `${space}/cronjobs`,
  base: { metadata: { name: "a" }, spec: { schedule: "*/5 * * * *", jobTemplate: { spec: { template } } } },
};
const indexed = { "spec/completionMode": "Indexed", "spec/completions": 5 };
const manual = {
  "spec/manualSelector": true,
  "spec/selector": { matchLabels: { a: "b" } },
  "spec/template/metadata": { labels: { a: "b" } },
};
const onExit = (codes: object): object => ({ rules: [{ action: "FailJob", onExitCodes: codes }] });

const ofSpec = {
  "refuses negative numbers": {
    "spec/parallelism": -1,
    "spec/completions": -1,
    "spec/activeDeadlineSeconds": -1,
    "spec/backoffLimit": -1,
    "spec/ttlSecondsAfterFinished": -1,
    "spec/backoffLimitPerIndex": -1,
    "spec/maxFailedIndexes": -1,
  },
  "counts without completions": { "spec/parallelism": 3 },
  "has indexes": indexed,
  "refuses indexes without completions": { "spec/completionMode": "Indexed", "spec/parallelism": 100001 },
  "refuses an unknown mode": { "spec/completionMode": "Foo" },
  "limits failures of an index": { ...indexed, "spec/backoffLimitPerIndex": 1, "spec/maxFailedIndexes": 2 },
  "refuses more failures than indexes": { ...indexed, "spec/backoffLimitPerIndex": 1, "spec/maxFailedIndexes": 9 },
  "refuses failures of indexes without a limit": { ...indexed, "spec/maxFailedIndexes": 2 },
  "refuses too many indexes": {
    ...indexed,
    "spec/completions": 100001,
    "spec/parallelism": 10001,
    "spec/backoffLimitPerIndex": 1,
  },
  "warns of very many indexes": { ...indexed, "spec/completions": 100001, "spec/parallelism": 10001 },
  "is managed by another": { "spec/managedBy": "example.com/x" },
  "refuses managers": { "spec/managedBy": "x" },
  "refuses managers of no domain": { "spec/managedBy": "A_b/ x" },
  "refuses an empty manager": { "spec/managedBy": "" },
  "refuses a long manager": { "spec/managedBy": `example.com/${"x".repeat(60)}` },
  "restarts on failure": { "spec/template/spec/restartPolicy": "OnFailure" },
  "refuses to restart always": { "spec/template/spec/restartPolicy": undefined },
  "refuses an unknown restart": { "spec/template/spec/restartPolicy": "Foo" },
  "fails by exit code": { "spec/podFailurePolicy": onExit({ operator: "In", values: [1, 2], containerName: "c" }) },
  "refuses exit codes": { "spec/podFailurePolicy": onExit({ operator: "In", values: [3, 0, 3], containerName: "x" }) },
  "refuses no exit codes": { "spec/podFailurePolicy": onExit({ values: [] }) },
  "refuses an unknown operator": { "spec/podFailurePolicy": onExit({ operator: "Foo", values: [1] }) },
  "fails by condition": {
    "spec/podFailurePolicy": { rules: [{ action: "Ignore", onPodConditions: [{ type: "DisruptionTarget" }] }] },
  },
  "refuses conditions": {
    "spec/podFailurePolicy": { rules: [{ action: "Foo", onPodConditions: [{ type: "A b", status: "Foo" }] }] },
  },
  "refuses rules about nothing": { "spec/podFailurePolicy": { rules: [{}] } },
  "refuses rules about both": {
    "spec/podFailurePolicy": {
      rules: [{ action: "FailIndex", onPodConditions: [{ type: "A" }], onExitCodes: { operator: "In", values: [1] } }],
    },
  },
  "refuses to restart failures": {
    "spec/podFailurePolicy": onExit({ operator: "In", values: [1] }),
    "spec/template/spec/restartPolicy": "OnFailure",
    "spec/podReplacementPolicy": "TerminatingOrFailed",
  },
  "refuses an unknown replacement": { "spec/podReplacementPolicy": "Foo" },
  "succeeds early": { ...indexed, "spec/successPolicy": { rules: [{ succeededIndexes: "0,2-3", succeededCount: 2 }] } },
  "refuses early success without indexes": { "spec/successPolicy": { rules: [{ succeededCount: 1 }] } },
  "refuses no rules of success": { ...indexed, "spec/successPolicy": { rules: [] } },
  "refuses rules of success": {
    ...indexed,
    "spec/successPolicy": {
      rules: [
        {},
        { succeededIndexes: "9" },
        { succeededIndexes: "1-x" },
        { succeededIndexes: "3-1" },
        { succeededIndexes: "1-2-3" },
        { succeededIndexes: "2,1" },
        { succeededIndexes: "1", succeededCount: 9 },
        { succeededCount: -1 },
      ],
    },
  },
  "refuses no containers": { "spec/template/spec/containers": [] },
  "refuses nothing at all": { spec: {} },
};

function inCronJob(variants: { readonly [name: string]: object }): { [name: string]: { [path: string]: unknown } } {
  return Object.fromEntries(
    Object.entries(variants).map(([name, changes]) => [
      name,
      Object.fromEntries(
        Object.entries(changes).map(([path, value]) => [
          path.replace(/^spec/, "spec/jobTemplate/spec"),
          value as unknown,
        ]),
      ),
    ]),
  );
}

const done = { type: "Complete", status: "True" };
const met = { type: "SuccessCriteriaMet", status: "True" };
const failed = { type: "Failed", status: "True" };
const target = { type: "FailureTarget", status: "True" };
const [start, end] = ["2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"];

export const batch = defineTopic("kinds-batch", {
  ...life("Job", job),
  ...creates("Job", job, {
    ...ofSpec,
    "selects by hand": manual,
    "refuses a selector by hand that selects nothing": { "spec/manualSelector": true },
    "refuses a selector of its own": { "spec/selector": { matchLabels: { a: "b" } } },
    "refuses labels of its own": { "spec/template/metadata": { labels: { "job-name": "x" } } },
    "takes labels from its template": { "spec/template/metadata": { labels: { x: "y" } } },
    "keeps its labels": { "metadata/labels": { l: "m" }, "spec/template/metadata": { labels: { x: "y" } } },
    "warns of a name": { "metadata/name": "a.b" },
    "refuses a name": { "metadata/name": "A_b" },
    "refuses a name that makes no host name": { ...indexed, "metadata/name": "a.b" },
    "drops a status": { status: { active: 3 } },
  }),
  ...updates(
    "Job",
    { ...job, base: { ...job.base, ...(changed(job.base, manual) as typeof job.base) } },
    {
      "changes what may change": {
        "spec/parallelism": 3,
        "spec/activeDeadlineSeconds": 5,
        "spec/ttlSecondsAfterFinished": 5,
        "spec/backoffLimit": 2,
        "spec/suspend": true,
      },
      "refuses other completions": { "spec/completions": 3 },
      "refuses another selector": { "spec/selector": { matchLabels: { x: "b" } } },
      "refuses another template": { "spec/template/spec/containers/0/image": "nginx:2" },
      "refuses another mode": indexed,
      "refuses a policy": { "spec/podFailurePolicy": onExit({ operator: "In", values: [1] }) },
      "refuses another manager": { "spec/managedBy": "example.com/x" },
      "refuses bad labels": { "metadata/labels": { "a b": "" } },
      "refuses a policy of success": { "spec/successPolicy": { rules: [{ succeededCount: 1 }] } },
    },
  ),
  ...updates(
    "Job suspended",
    { ...job, base: changed(job.base, { ...manual, "spec/suspend": true }) as typeof job.base },
    {
      "moves elsewhere": {
        "spec/template/spec/nodeSelector": { a: "b" },
        "spec/template/metadata/labels": { a: "b", c: "d" },
        "spec/template/spec/affinity": {
          nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{}] } },
        },
      },
      "needs more": { "spec/template/spec/containers/0/resources": { requests: { cpu: "2" } } },
      "refuses another image": { "spec/template/spec/containers/0/image": "nginx:2" },
      "refuses affinity to pods": { "spec/template/spec/affinity": { podAffinity: {} } },
    },
  ),
  ...updates(
    "Job indexed",
    { ...job, base: changed(job.base, { ...manual, ...indexed }) as typeof job.base },
    {
      "grows in tandem": { "spec/completions": 6, "spec/parallelism": 6 },
      "refuses to grow alone": { "spec/completions": 6 },
    },
  ),
  ...updates(
    "Job status",
    { ...job, base: changed(job.base, manual) as typeof job.base, door: "status" },
    {
      counts: { status: { active: 2, ready: 1, startTime: start } },
      completes: { status: { conditions: [done, met], startTime: start, completionTime: end, succeeded: 1 } },
      fails: { status: { conditions: [failed, target], startTime: start, failed: 1 } },
      "refuses negative counts": { status: { active: -1, succeeded: -1, failed: -1, ready: -1, terminating: -1 } },
      "refuses to complete and fail": { status: { conditions: [done, failed, target, met] } },
      "refuses to complete just so": { status: { conditions: [done] } },
      "refuses to fail just so": { status: { conditions: [failed] } },
      "refuses an end before the start": { status: { conditions: [done, met], startTime: end, completionTime: start } },
      "refuses an end of nothing": { status: { completionTime: end } },
      "refuses to be over with pods": {
        status: {
          conditions: [failed, target],
          startTime: start,
          active: 1,
          ready: 2,
          terminating: 1,
          uncountedTerminatedPods: { succeeded: ["a", ""], failed: ["a"] },
        },
      },
      "refuses indexes": { status: { completedIndexes: "0", failedIndexes: "0" } },
    },
  ),
  "Job status: is final": [
    post(job.path, changed(job.base, manual), { quiet: true }),
    patch("merge", `${job.path}/a/status`, {
      status: { conditions: [failed, target], startTime: start, failed: 2, succeeded: 2 },
    }),
    get(`${job.path}/a`, { accept: table }),
    patch("merge", `${job.path}/a/status`, { status: { conditions: [], startTime: end, failed: 1, succeeded: 1 } }),
    get(`${job.path}?fieldSelector=status.successful%3D2`, { only: ["kind"] }),
  ],
  "Job: leaves its pods when it goes": [post(job.path, job.base, { quiet: true }), del(`${job.path}/a`)],
  "Job: takes its pods with it when asked": [
    post(job.path, job.base, { quiet: true }),
    del(`${job.path}/a?propagationPolicy=Background`),
  ],
  ...life("CronJob", cronJob),
  ...creates("CronJob", cronJob, {
    ...inCronJob(ofSpec),
    "refuses no schedule": { "spec/schedule": undefined },
    "refuses a selector": { "spec/jobTemplate/spec/selector": { matchLabels: { a: "b" } } },
    "refuses to select by hand": { "spec/jobTemplate/spec/manualSelector": true },
    "refuses an unknown policy": { "spec/concurrencyPolicy": "Foo" },
    replaces: { "spec/concurrencyPolicy": "Replace" },
    "refuses negative limits": {
      "spec/successfulJobsHistoryLimit": -1,
      "spec/failedJobsHistoryLimit": -1,
      "spec/startingDeadlineSeconds": -1,
    },
    "refuses a long name": { "metadata/name": "a".repeat(53) },
    "warns of a name": { "metadata/name": "a.b" },
    ...Object.fromEntries(
      ["Europe/Berlin", "Foo/Bar", "europe/berlin", "", "Local", "local", "../x", "US/Eastern", "UTC", "Etc/GMT+5"].map(
        (zone) => [`time zone ${JSON.stringify(zone)}`, { "spec/timeZone": zone }],
      ),
    ),
    ...Object.fromEntries(
      [
        "* * * * *",
        "@daily",
        "@every 1h30m",
        "@every x",
        "@foo",
        "* * * *",
        "60 * * * *",
        "* 24 * * *",
        "* * 0 * *",
        "* * * 13 *",
        "* * * * 7",
        "x * * * *",
        "5-1 * * * *",
        "1-2-3 * * * *",
        "*/0 * * * *",
        "*/5/5 * * * *",
        "-1 * * * *",
        "1,2,x * * * *",
        "* * * jan-mar mon,WED",
        "? * * * *",
        "TZ=UTC * * * * *",
        "CRON_TZ=Foo * * * * *",
        "TZ=0",
        "*/x * * * *",
        " ",
        "5/10 * * * *",
        "1- * * * *",
      ].map((schedule) => [`schedule ${JSON.stringify(schedule)}`, { "spec/schedule": schedule }]),
    ),
  }),
  ...updates("CronJob", cronJob, {
    "counts a generation for a change": {
      "spec/schedule": "@hourly",
      "spec/jobTemplate/metadata": { labels: { a: "b" } },
    },
    "counts none for a label": { "metadata/labels": { a: "b" } },
    "refuses a zone in its schedule": { "spec/schedule": "TZ=UTC * * * * *" },
    "refuses a zone": { "spec/timeZone": "Foo" },
  }),
  ...updates(
    "CronJob status",
    { ...cronJob, door: "status" },
    {
      "is written": { status: { lastScheduleTime: start, active: [{ name: "x" }] }, "spec/schedule": "@hourly" },
    },
  ),
  "CronJob: shows when it ran": [
    post(cronJob.path, cronJob.base, { quiet: true }),
    put(`${cronJob.path}/a/status`, { ...cronJob.base, status: { lastScheduleTime: start, active: [{ name: "x" }] } }),
    get(`${cronJob.path}?includeObject=None`, { accept: table, only: ["columnDefinitions"] }),
    del(`${cronJob.path}/a`),
  ],
});
