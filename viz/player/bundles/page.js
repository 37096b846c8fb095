(()=>{var{mount:p,upgrade:e}=typeof minitape>"u"?{}:minitape;e();})();
