"""Runs scripts and candidates in a process of their own, and judges what comes out."""
