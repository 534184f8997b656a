"""The works that a paper cites for what EvalApp computes, by their links. Pure data.

A metric names its link; a test asks that each of them is here.
"""

from __future__ import annotations

from typing import NamedTuple


class Work(NamedTuple):
    """A paper."""

    key: str
    title: str
    authors: str
    venue: str
    year: int
    link: str
    kind: str = "inproceedings"

    @property
    def venue_field(self) -> str:
        return "journal" if self.kind == "article" else "booktitle"


ARXIV = "arXiv preprint"
ACL, EMNLP, NAACL = "Proceedings of ACL", "Proceedings of EMNLP", "Proceedings of NAACL"
ICLR, ICML, NEURIPS = (
    "Proceedings of ICLR",
    "Proceedings of ICML",
    "Proceedings of NeurIPS",
)
ARXIV_ORG, ANTHOLOGY = "https://arxiv.org/abs/", "https://aclanthology.org/"

_WORKS = (
    Work(
        "yuan-2021-bartscore",
        "{BARTScore}: Evaluating Generated Text as Text Generation",
        "Yuan, Weizhe and Neubig, Graham and Liu, Pengfei",
        NEURIPS,
        2021,
        f"{ARXIV_ORG}2106.11520",
    ),
    Work(
        "zhang-2020-bertscore",
        "{BERTScore}: Evaluating Text Generation with {BERT}",
        "Zhang, Tianyi and Kishore, Varsha and Wu, Felix and Weinberger, Kilian Q. and"
        " Artzi, Yoav",
        ICLR,
        2020,
        f"{ARXIV_ORG}1904.09675",
    ),
    Work(
        "papineni-2002-bleu",
        "{BLEU}: a Method for Automatic Evaluation of Machine Translation",
        "Papineni, Kishore and Roukos, Salim and Ward, Todd and Zhu, Wei-Jing",
        ACL,
        2002,
        f"{ANTHOLOGY}P02-1040",
    ),
    Work(
        "sellam-2020-bleurt",
        "{BLEURT}: Learning Robust Metrics for Text Generation",
        "Sellam, Thibault and Das, Dipanjan and Parikh, Ankur",
        ACL,
        2020,
        f"{ANTHOLOGY}2020.acl-main.704",
    ),
    Work(
        "lu-2024-cdm",
        "Open-Domain Text Evaluation via Contrastive Distribution Methods",
        "Lu, Sidi and Liu, Hongyi and Celikyilmaz, Asli and Wang, Tianlu and Peng,"
        " Nanyun",
        ICML,
        2024,
        f"{ARXIV_ORG}2306.11879",
    ),
    Work(
        "popovic-2015-chrf",
        "chr{F}: character n-gram {F}-score for automatic {MT} evaluation",
        r"Popovi{\'c}, Maja",
        "Proceedings of the Workshop on Statistical Machine Translation",
        2015,
        f"{ANTHOLOGY}W15-3049",
    ),
    Work(
        "li-2016-diversity",
        "A Diversity-Promoting Objective Function for Neural Conversation Models",
        "Li, Jiwei and Galley, Michel and Brockett, Chris and Gao, Jianfeng and Dolan,"
        " Bill",
        NAACL,
        2016,
        f"{ANTHOLOGY}N16-1014",
    ),
    Work(
        "fan-2018-hierarchical",
        "Hierarchical Neural Story Generation",
        "Fan, Angela and Lewis, Mike and Dauphin, Yann",
        ACL,
        2018,
        f"{ARXIV_ORG}1805.04833",
    ),
    Work(
        "holtzman-2020-curious",
        "The Curious Case of Neural Text Degeneration",
        "Holtzman, Ari and Buys, Jan and Du, Li and Forbes, Maxwell and Choi, Yejin",
        ICLR,
        2020,
        f"{ARXIV_ORG}1904.09751",
    ),
    Work(
        "snover-2006-ter",
        "A Study of Translation Edit Rate with Targeted Human Annotation",
        "Snover, Matthew and Dorr, Bonnie and Schwartz, Rich and Micciulla, Linnea and"
        " Makhoul, John",
        "Proceedings of AMTA",
        2006,
        f"{ANTHOLOGY}2006.amta-papers.25",
    ),
    Work(
        "ke-2022-ctrleval",
        "{CTRLEval}: An Unsupervised Reference-Free Metric for Evaluating Controlled"
        " Text Generation",
        "Ke, Pei and Zhou, Hao and Lin, Yankai and Li, Peng and Zhou, Jie and Zhu,"
        " Xiaoyan and Huang, Minlie",
        ACL,
        2022,
        f"{ANTHOLOGY}2022.acl-long.164",
    ),
    Work(
        "pimentel-2023-usefulness",
        "On the Usefulness of Embeddings, Clusters and Strings for Text Generator"
        " Evaluation",
        "Pimentel, Tiago and Meister, Clara and Cotterell, Ryan",
        ICLR,
        2023,
        f"{ARXIV_ORG}2205.16001",
    ),
    Work(
        "yue-2022-synthetic",
        "Synthetic Text Generation with Differential Privacy: A Simple and Practical"
        " Recipe",
        "Yue, Xiang and Inan, Huseyin A. and Li, Xuechen and Kumar, Girish and"
        " McAnallen, Julia and Shajari, Hoda and Sun, Huan and Levitan, David and Sim,"
        " Robert",
        ARXIV,
        2022,
        f"{ARXIV_ORG}2210.14348",
        "article",
    ),
    Work(
        "liu-2023-geval",
        "{G-Eval}: {NLG} Evaluation using {GPT-4} with Better Human Alignment",
        "Liu, Yang and Iter, Dan and Xu, Yichong and Wang, Shuohang and Xu, Ruochen and"
        " Zhu, Chenguang",
        EMNLP,
        2023,
        f"{ANTHOLOGY}2023.emnlp-main.153",
    ),
    Work(
        "lavie-2007-meteor",
        "{METEOR}: An Automatic Metric for {MT} Evaluation with High Levels of"
        " Correlation with Human Judgments",
        "Lavie, Alon and Agarwal, Abhaya",
        "Proceedings of the Workshop on Statistical Machine Translation",
        2007,
        f"{ANTHOLOGY}W07-0734",
    ),
    Work(
        "zhao-2019-moverscore",
        "{MoverScore}: Text Generation Evaluating with Contextualized Embeddings and"
        " Earth Mover Distance",
        "Zhao, Wei and Peyrard, Maxime and Liu, Fei and Gao, Yang and Meyer, Christian"
        " M. and Eger, Steffen",
        EMNLP,
        2019,
        f"{ANTHOLOGY}D19-1053",
    ),
    Work(
        "goodrich-2019-factual",
        "Assessing The Factual Accuracy of Generated Text",
        "Goodrich, Ben and Rao, Vinay and Liu, Peter J. and Saleh, Mohammad",
        "Proceedings of KDD",
        2019,
        f"{ARXIV_ORG}1905.13322",
    ),
    Work(
        "welleck-2020-unlikelihood",
        "Neural Text Generation With Unlikelihood Training",
        "Welleck, Sean and Kulikov, Ilia and Roller, Stephen and Dinan, Emily and Cho,"
        " Kyunghyun and Weston, Jason",
        ICLR,
        2020,
        f"{ARXIV_ORG}1908.04319",
    ),
    Work(
        "lin-2004-rouge",
        "{ROUGE}: A Package for Automatic Evaluation of Summaries",
        "Lin, Chin-Yew",
        "Text Summarization Branches Out",
        2004,
        f"{ANTHOLOGY}W04-1013",
    ),
    Work(
        "zhu-2018-texygen",
        "Texygen: A Benchmarking Platform for Text Generation Models",
        "Zhu, Yaoming and Lu, Sidi and Zheng, Lei and Guo, Jiaxian and Zhang, Weinan"
        " and Wang, Jun and Yu, Yong",
        "Proceedings of SIGIR",
        2018,
        f"{ARXIV_ORG}1802.01886",
    ),
    Work(
        "guan-2020-union",
        "{UNION}: An Unreferenced Metric for Evaluating Open-ended Story Generation",
        "Guan, Jian and Huang, Minlie",
        EMNLP,
        2020,
        f"{ANTHOLOGY}2020.emnlp-main.736",
    ),
    Work(
        "pillutla-2021-mauve",
        "{MAUVE}: Measuring the Gap Between Neural Text and Human Text using Divergence"
        " Frontiers",
        "Pillutla, Krishna and Swayamdipta, Swabha and Zellers, Rowan and Thickstun,"
        " John and Welleck, Sean and Choi, Yejin and Harchaoui, Zaid",
        NEURIPS,
        2021,
        f"{ARXIV_ORG}2102.01454",
    ),
    Work(
        "post-2018-sacrebleu",
        "A Call for Clarity in Reporting {BLEU} Scores",
        "Post, Matt",
        "Proceedings of WMT",
        2018,
        f"{ANTHOLOGY}W18-6319",
    ),
    Work(
        "krippendorff-2011-alpha",
        "Computing {Krippendorff's} Alpha-Reliability",
        "Krippendorff, Klaus",
        "University of Pennsylvania, Annenberg School for Communication",
        2011,
        "https://repository.upenn.edu/asc_papers/43",
        "article",
    ),
    Work(
        "belz-2025-heds",
        "{HEDS} 3.0: The Human Evaluation Data Sheet Version 3.0",
        "Belz, Anya and Thomson, Craig",
        "Proceedings of the Workshop on Generation, Evaluation and Metrics",
        2025,
        f"{ANTHOLOGY}2025.gem-1.6",
    ),
)
WORKS = {work.key: work for work in _WORKS}
ALWAYS = ("krippendorff-2011-alpha", "belz-2025-heds")
# Words in the source of a metric that name a second work.
PROGRAMS = {
    "sacrebleu": "post-2018-sacrebleu",
    "Pillutla": "pillutla-2021-mauve",
    "Welleck": "welleck-2020-unlikelihood",
    "Fan et al.": "fan-2018-hierarchical",
}
