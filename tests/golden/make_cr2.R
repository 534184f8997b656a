# Numbers of clubSandwich 0.5.8 (Pustejovsky) for the mean of values in clusters:
#
#     Rscript tests/golden/make_cr2.R > tests/golden/cr2.json
#
# Standard error by CR2, t against 0.1 and Satterthwaite's degrees of freedom.
suppressMessages(library(clubSandwich))
set.seed(7)
sizes <- list(rep(1, 12), rep(4, 10), c(1, 2, 3, 6, 9, 1, 1, 2, 4, 12), c(30, rep(2, 11)))
rows <- lapply(sizes, function(n) {
  prompt <- rep(seq_along(n), n)
  shared <- rnorm(length(n))[prompt]
  d <- sign(round(shared + rnorm(length(prompt)), 0))
  above <- d - 0.1
  fit <- lm(above ~ 1)
  made <- coef_test(fit, vcov = "CR2", cluster = prompt, test = "Satterthwaite")
  sprintf('{"d": [%s], "prompt": [%s], "se": %.15g, "t": %.15g, "degrees": %.15g}',
          paste(d, collapse = ", "), paste(prompt, collapse = ", "),
          made$SE, made$tstat, made$df_Satt)
})
cat("[\n", paste(rows, collapse = ",\n"), "\n]\n", sep = "")
