export * from "@capstan/kinds/autoscaling/v1";
