package main

func (r *probeReport) writePage(plan *modelPlan) error { return nil }
