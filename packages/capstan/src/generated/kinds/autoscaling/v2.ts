export * from "@capstan/kinds/autoscaling/v2";
