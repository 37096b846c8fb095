(()=>{var{mount:a,upgrade:e}=typeof minitape>"u"?{}:minitape;e()})();
